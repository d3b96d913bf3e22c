package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
)

const (
	// readerPause is the time that a reader waits between two requests.
	readerPause = 40 * time.Millisecond
	// readerPatience bounds a request of a reader. A server that answers later does not answer.
	readerPatience = 30 * time.Second
	// failedPause is the time that a reader waits after a request that failed. It does not ask a server that is away as fast as it can.
	failedPause = 100 * time.Millisecond
	// failuresKept bounds the memory for failed requests.
	failuresKept = 200_000
)

// failure is a request that was not answered with success, nor with 304 or 404.
type failure struct {
	from, to   time.Time
	target     string
	forwarded  bool
	status     int    // 0: no answer
	retryAfter bool   // the answer says when to come again
	text       string // the error, or the beginning of the answer
}

// readers counts what readers of one kind got.
type readers struct {
	mu       sync.Mutex
	answers  map[int]int // by status
	failures []failure
	lost     int // failures beyond failuresKept
	latency  []time.Duration
}

// run lets count readers ask until ctx is done. choose returns a target.
func (r *readers) run(ctx context.Context, count int, wait time.Duration, seed uint64, s *scout, choose func(*subjects, *rand.Rand) (string, bool)) {
	r.answers = map[int]int{}
	client := &http.Client{Timeout: readerPatience, Transport: &http.Transport{MaxIdleConnsPerHost: count, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			for ; ctx.Err() == nil; pause.For(ctx, wait/2+rand.N(wait+1)) {
				if n := s.found.Load(); n != nil {
					target, forwarded := choose(n, random)
					if !r.read(ctx, client, s.api, target, forwarded) {
						pause.For(ctx, failedPause)
					}
				}
			}
		})
	}
	group.Wait()
}

// read makes a request, and reads its whole answer. It reports whether there was a useful one.
func (r *readers) read(ctx context.Context, client *http.Client, api, target string, forwarded bool) bool {
	f := failure{from: time.Now(), target: target, forwarded: forwarded}
	answer, err := serverrig.AskBy(ctx, client, http.MethodGet, api+target, nil, nil)
	if ctx.Err() != nil {
		return true // the soak ended the request
	}
	f.to, f.status, f.retryAfter = time.Now(), answer.Status, answer.RetryAfter()
	f.text = string(answer.Body[:min(len(answer.Body), 200)])
	if err != nil {
		f.text = err.Error()
	}
	return r.note(f, len(answer.Body))
}

func (r *readers) note(f failure, length int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[f.status]++
	switch f.status {
	case http.StatusUnprocessableEntity:
		if !strings.HasPrefix(f.target, metadataPrefix) {
			break // only the metadata of a token that has not come is answered so
		}
		fallthrough
	case http.StatusOK, http.StatusNotFound:
		if length > 0 {
			r.latency = append(r.latency, f.to.Sub(f.from))
			return true
		}
		f.text = "an empty answer"
	}
	if len(r.failures) == failuresKept {
		r.lost++
		return false
	}
	r.failures = append(r.failures, f)
	return false
}

const (
	overloaded = "too many requests wait for the database" // says the gate of the reads
	crowded    = "503 with Retry-After: too many reads waited for the database"
	// crowdedShare is the share of the reads that may be refused because attackers, and all others on the machine, leave the
	// database too little time.
	crowdedShare = 0.001
)

// class says why a request failed; ok is whether a server that works well may fail so.
func (t *timeline) class(f failure) (name string, ok bool) {
	switch {
	case f.status == 0 && t.during(processDead, f.from, f.to):
		return "no answer: " + string(processDead), true
	case f.status == http.StatusServiceUnavailable && f.retryAfter:
		for _, c := range []cause{starting, databaseDown, diskFull} {
			if t.during(c, f.from, f.to) {
				return "503 with Retry-After: " + string(c), true
			}
		}
		if f.forwarded && t.during(nodesDown, f.from, f.to) {
			return "503 with Retry-After: " + string(nodesDown), true
		}
		if strings.Contains(f.text, overloaded) {
			return crowded, true // reportReaders bounds how many
		}
		return "503 with Retry-After, although the server could answer", false
	case f.status == 0:
		return "no answer, although the process was alive", false
	}
	return fmt.Sprintf("status %d", f.status), false
}
