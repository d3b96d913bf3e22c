package projections

import (
	"context"
	"sync/atomic"
	"time"
)

// progress is where a follower is, for others in the process to see.
type progress struct {
	following atomic.Bool // it leads its projection, and has not failed
	position  atomic.Int64
}

// pace keeps chain, when it is far behind the log, from running away from those who fold its steps: they shall find
// the decoded blocks in the cache, so that each is decoded once. It never stops chain for long: a follower that stands
// still, or is far behind anyway because its tables are being built, is not waited for.
type pace struct {
	steps     func(ctx context.Context) (int64, error) // the newest step
	followers func() []*progress
	before    int64 // the newest step when the batch before began
}

const (
	// paceFar is how many steps behind a follower is not waited for.
	paceFar = 5 * batchItems
	// pacePatience is how long a follower may stand still.
	pacePatience = time.Second
)

// wait is called before each batch. It returns when the steps of the batch before the last have been folded.
func (p *pace) wait(ctx context.Context) error {
	newest, err := p.steps(ctx)
	if err != nil {
		return err
	}
	for _, f := range p.followers() {
		at, since := f.position.Load(), time.Now()
		for f.following.Load() && at < p.before && newest-at < paceFar && time.Since(since) < pacePatience && ctx.Err() == nil {
			sleep(ctx, time.Millisecond)
			if now := f.position.Load(); now != at {
				at, since = now, time.Now()
			}
		}
	}
	p.before = newest
	return ctx.Err()
}
