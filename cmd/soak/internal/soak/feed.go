package soak

import (
	"context"
	"crypto/sha256"

	"strata/internal/synth/synthchain"
)

// feed posts a made-up chain, and remembers what it has posted.
type feed struct {
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

// run posts until ctx is done.
func (f *feed) run(ctx context.Context, observer string, rate float64, seed uint64) {
	chain := synthchain.Everything(seed, synthchain.V40)
	chain.ForkProbability, chain.ForgetHistory = 0.1, true
	f.posts = map[posted]*deliveries{}
	_ = synthchain.Simulation{Observer: observer, Chain: chain, Rate: rate, Progress: f.note}.Run(ctx) // it fails only because ctx is done
}

// note notes an attempt to post an event.
func (f *feed) note(p synthchain.Progress) {
	key := posted{p.Last.Path, sha256.Sum256(p.Last.Body)}
	if f.posts[key] == nil {
		f.posts[key] = &deliveries{}
	}
	for _, d := range []*deliveries{f.posts[key], &f.total} {
		d.attempts++
		if p.Failure == nil {
			d.accepted++
		}
	}
	f.retries = p.Retries
}
