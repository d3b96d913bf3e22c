package soak

import (
	"context"
	"crypto/sha256"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"strata/domain/nodeevent"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/serverrig"
)

// feed posts a made-up chain, and remembers what it has posted.
type feed struct {
	tip      atomic.Int64
	accepted atomic.Int64 // attempts
	refused  atomic.Int64 // attempts

	mu      sync.Mutex
	posts   map[posted]*deliveries
	total   deliveries
	retries uint64
}

// posted identifies an event by where and what.
type posted struct {
	path   string
	sha256 [sha256.Size]byte
}

// deliveries counts the attempts to post an event, and those that the observer accepted. The log must hold the event at
// least as often as it was accepted, and not more often than it was posted: an attempt whose answer was lost may have
// been stored.
type deliveries struct{ accepted, attempts int }

var heightPattern = regexp.MustCompile(`"block_height":(\d+)`)

// run posts until ctx is done.
func (f *feed) run(ctx context.Context, observer string, rate float64, seed uint64) {
	chain := synthchain.Everything(seed, synthchain.V40)
	chain.ForkProbability, chain.ForgetHistory = 0.1, true
	_ = synthchain.Simulation{Observer: observer, Chain: chain, Rate: rate, Progress: f.note}.Run(ctx) // it fails only because ctx is done
}

func (f *feed) note(p synthchain.Progress) {
	f.count(posted{p.Last.Path, sha256.Sum256(p.Last.Body)}, p.Failure == nil)
	f.retries = p.Retries
	if p.Failure == nil && p.Last.Path == nodeevent.PathBlock {
		if found := heightPattern.FindSubmatch(p.Last.Body); found != nil {
			if height, err := strconv.ParseInt(string(found[1]), 10, 64); err == nil {
				f.tip.Store(max(f.tip.Load(), height))
			}
		}
	}
}

// count notes an attempt to post an event.
func (f *feed) count(key posted, accepted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.posts == nil {
		f.posts = map[posted]*deliveries{}
	}
	if f.posts[key] == nil {
		f.posts[key] = &deliveries{}
	}
	for _, d := range []*deliveries{f.posts[key], &f.total} {
		d.attempts++
		if accepted {
			d.accepted++
		}
	}
	if accepted {
		f.accepted.Add(1)
	} else {
		f.refused.Add(1)
	}
}

// offer posts an event once, beside those of the chain. The status is 0 without an answer.
func (f *feed) offer(ctx context.Context, observer, path string, body []byte) (status int, retryAfter bool) {
	answer, _ := serverrig.Post(ctx, 10*time.Second, observer+path, body)
	f.count(posted{path, sha256.Sum256(body)}, answer.Status == http.StatusOK)
	return answer.Status, answer.RetryAfter()
}
