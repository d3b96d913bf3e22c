package follow

import (
	"context"
	"sync/atomic"
	"time"

	"strata/internal/pause"
)

// progress is where a follower stands, for others in the process to see.
type progress struct {
	following atomic.Bool // it leads its projection, and has not failed
	position  atomic.Int64
}

// pace keeps a leader that is far behind the log from running away from the followers of its steps, so that they find
// the decoded blocks in the cache and each block is decoded once. It never stops the leader for long: it does not wait
// for a follower that stands still, or that is far behind anyway because its tables are being built.
type pace struct {
	newestStep func(ctx context.Context) (int64, error)
	followers  func() []*progress
	before     int64 // the newest step when the batch before began
}

const (
	// paceLagMax is the lag, in steps, beyond which a follower is not waited for.
	paceLagMax = 5 * batchItems
	// pacePatience bounds how long a follower may stand still.
	pacePatience = time.Second
)

// wait is called before each batch. It returns when the steps of the batch before the last have been folded.
func (p *pace) wait(ctx context.Context) error {
	newest, err := p.newestStep(ctx)
	if err != nil {
		return err
	}
	for _, f := range p.followers() {
		position, since := f.position.Load(), time.Now()
		for f.following.Load() && position < p.before && newest-position < paceLagMax && time.Since(since) < pacePatience && ctx.Err() == nil {
			pause.For(ctx, time.Millisecond)
			if now := f.position.Load(); now != position {
				position, since = now, time.Now()
			}
		}
	}
	p.before = newest
	return ctx.Err()
}
