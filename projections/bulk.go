package projections

import (
	"context"
	"time"
)

// bulkLag is how many items behind the head a follower takes them in batches rather than one by one.
const bulkLag = 64

// A follower that has caught up goes on in batches while more than bulkLag items come in each calmTime: one by one it would
// only fall behind again. It looks for more every gatherTime, so that what comes meanwhile shares a transaction.
const (
	calmTime   = time.Second
	gatherTime = 10 * time.Millisecond
)

// bulk takes batches until the head is reached and little comes any more, reading and decoding one batch while the one
// before is applied.
func (f *follower[T]) bulk(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.meter.start()
	defer f.meter.stop()
	live := false
	taken, since := 0, time.Now()
	for b := range f.batches(ctx) {
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
			continue
		case !live:
			if err := f.arrive(ctx); err != nil {
				return err
			}
			f.meter.stop()
			live = true
		}
		if time.Since(since) < calmTime {
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
	for b := range f.batches(ctx) {
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

// batches reads on from the position, one batch ahead of who takes them, until ctx ends or reading fails.
func (f *follower[T]) batches(ctx context.Context) <-chan itemBatch[T] {
	batches := make(chan itemBatch[T])
	go func() {
		defer close(batches)
		for after := f.position; ; {
			items, err := f.source.read(ctx, after)
			select {
			case batches <- itemBatch[T]{items, err}:
			case <-ctx.Done():
				return
			}
			switch {
			case err != nil:
				return
			case len(items) == 0:
				sleep(ctx, gatherTime)
			default:
				after = items[len(items)-1].Position()
			}
		}
	}()
	return batches
}
