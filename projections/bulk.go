package projections

import (
	"context"
	"sync/atomic"
	"time"
)

// A follower that has caught up goes on in batches while more than bulkLag items come in each calmTime: one by one it would
// only fall behind again. After a batch of less than gatherItems it lets gatherTime pass before it reads on, so that what
// comes meanwhile shares a transaction; and when there is nothing it waits for pollTime to be told of more.
const (
	calmTime    = time.Second
	gatherTime  = 25 * time.Millisecond
	gatherItems = 256
	pollTime    = 100 * time.Millisecond
)

// buildTime is how often a follower that has not caught up looks for more: whoever it follows is far behind as well.
const buildTime = 10 * time.Millisecond

// arrivalTime is how often a follower that is at the head looks whether it is where it is going.
const arrivalTime = 50 * time.Millisecond

// bulk takes batches until the head is reached and little comes any more, reading and decoding one batch while the one
// before is applied.
func (f *follower[T]) bulk(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.meter.start()
	defer f.meter.stop()
	var live atomic.Bool
	taken, since := 0, time.Now()
	var asked time.Time
	for b := range f.batches(ctx, &live) {
		switch {
		case b.err != nil:
			return b.err
		case len(b.items) > 0:
			if f.pace != nil {
				if err := f.pace.wait(ctx); err != nil {
					return err
				}
			}
			if err := f.take(ctx, b.items); err != nil {
				return err
			}
			f.meter.count(len(b.items))
			taken += len(b.items)
		case !live.Load() && time.Since(asked) >= arrivalTime:
			asked = time.Now()
			arrived, err := f.arrive(ctx)
			if err != nil {
				return err
			}
			if arrived {
				f.meter.stop()
				live.Store(true)
			}
		}
		if !live.Load() || time.Since(since) < calmTime {
			continue
		}
		if taken <= bulkLag {
			return nil
		}
		taken, since = 0, time.Now()
	}
	return ctx.Err()
}

// foldUntil folds up to a position, or to the end of the input.
func (f *follower[T]) foldUntil(ctx context.Context, position int64) error {
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	f.reach(place.position)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for b := range f.batches(ctx, new(atomic.Bool)) {
		if b.err != nil || len(b.items) == 0 {
			return b.err
		}
		if beyond := b.items[len(b.items)-1].Position() - position; beyond > 0 {
			b.items = b.items[:max(0, int64(len(b.items))-beyond)]
		}
		if len(b.items) == 0 {
			return nil
		}
		if err := f.take(ctx, b.items); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// itemBatch is what was read at once; no items at the head.
type itemBatch[T Item] struct {
	items []T
	err   error
}

// batches reads on from the position, one batch ahead of who takes them, until ctx ends or reading fails. Once it has caught
// up, which live says, it lets items gather.
func (f *follower[T]) batches(ctx context.Context, live *atomic.Bool) <-chan itemBatch[T] {
	batches := make(chan itemBatch[T])
	go func() {
		defer close(batches)
		for after := f.position; ; {
			grown := f.source.grown()
			items, err := f.source.read(ctx, after)
			select {
			case batches <- itemBatch[T]{items, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			if len(items) > 0 {
				after = items[len(items)-1].Position()
			}
			switch {
			case !live.Load() && len(items) == 0:
				sleep(ctx, buildTime)
			case live.Load() && len(items) == 0:
				lookOut(ctx, grown)
				sleep(ctx, gatherTime)
			case live.Load() && len(items) < gatherItems:
				sleep(ctx, gatherTime)
			}
		}
	}()
	return batches
}

// lookOut waits to be told that there is more to read, though not for long.
func lookOut(ctx context.Context, grown <-chan struct{}) {
	timer := time.NewTimer(pollTime)
	defer timer.Stop()
	select {
	case <-grown:
	case <-timer.C:
	case <-ctx.Done():
	}
}
