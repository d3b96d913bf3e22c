package follow

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"strata/internal/pause"
	"strata/projections"
)

// A follower that has caught up stays in bulk mode while more than bulkLag items come in each calmTime: in live mode it
// would only fall behind again. After a batch of fewer than gatherItems it waits for gatherTime before it reads on, so
// that the items that come meanwhile share a transaction. When there is nothing to read it waits up to pollTime for a
// notification.
const (
	calmTime    = time.Second
	gatherTime  = 25 * time.Millisecond
	gatherItems = 256
	pollTime    = 100 * time.Millisecond
)

// buildTime is how often a follower that has not caught up looks for more when there is nothing to read: the leader
// whose steps it folds is far behind, too.
const buildTime = 10 * time.Millisecond

// arrivalTime is how often a follower at the end of its input checks whether that is the real head.
const arrivalTime = 50 * time.Millisecond

// bulk takes batches until the head is reached and few items come. It reads and decodes one batch while the one before
// is applied.
func (f *follower[T]) bulk(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.meter.Start()
	defer f.meter.Stop()
	var caughtUp atomic.Bool
	taken, since := 0, time.Now()
	var arrivalCheck time.Time
	for b := range f.batches(ctx, &caughtUp) {
		switch {
		case b.err != nil:
			return b.err
		case len(b.items) > 0:
			if f.group != nil && len(b.items) == batchItems {
				f.group.close() // far behind: the members would only wait
			}
			if !caughtUp.Load() {
				f.awaitSpace(ctx)
			}
			if f.pace != nil {
				if err := f.pace.wait(ctx); err != nil {
					return err
				}
			}
			if err := f.take(ctx, b.items); err != nil {
				return err
			}
			f.meter.Count(len(b.items))
			taken += len(b.items)
		case !caughtUp.Load() && time.Since(arrivalCheck) >= arrivalTime:
			arrivalCheck = time.Now()
			arrived, err := f.arrive(ctx)
			if err != nil {
				return err
			}
			if arrived {
				f.meter.Stop()
				caughtUp.Store(true)
				if f.group != nil {
					f.group.open()
				}
			}
		}
		if !caughtUp.Load() || time.Since(since) < calmTime {
			continue
		}
		if taken <= bulkLag {
			return nil
		}
		taken, since = 0, time.Now()
	}
	return ctx.Err()
}

// spaceInterval is how often a follower that waits for space on the disk looks again.
const spaceInterval = 200 * time.Millisecond

// awaitSpace waits while the disk has little space: the log goes first.
func (f *follower[T]) awaitSpace(ctx context.Context) {
	if f.tight == nil || !f.tight() {
		return
	}
	f.meter.Stop()
	f.logger.LogAttrs(ctx, slog.LevelWarn, "projection waits for space on the disk", slog.String("projection", f.spec.String()), slog.Int64("position", f.position))
	for f.tight() && ctx.Err() == nil {
		f.signals.WaitingForSpace.Send()
		pause.For(ctx, spaceInterval)
	}
	f.meter.Start()
}

// foldUntil folds up to a position, or to the end of the input.
func (f *follower[T]) foldUntil(ctx context.Context, position int64) error {
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	f.reach(place.Position)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for b := range f.batches(ctx, new(atomic.Bool)) {
		if b.err != nil || len(b.items) == 0 {
			return b.err
		}
		if b.items = upTo(b.items, position); len(b.items) == 0 {
			return nil
		}
		switch err := f.take(ctx, b.items); {
		case errors.Is(err, errMoved): // it has skipped an item
			return f.foldUntil(ctx, position)
		case err != nil:
			return err
		}
	}
	return ctx.Err()
}

// foldRest folds what there is to read now, up to a position: few items one at a time, as in live mode.
func (f *follower[T]) foldRest(ctx context.Context, position int64) error {
	for f.position < position {
		items, err := f.source.read(ctx, f.position)
		if err != nil {
			return err
		}
		if items = upTo(items, position); len(items) == 0 {
			return nil
		}
		together := 1
		if len(items) > bulkLag {
			together = len(items)
		}
		for next := range slices.Chunk(items, together) {
			if err := f.take(ctx, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// upTo returns the items that are not beyond a position.
func upTo[T projections.Item](items []T, position int64) []T {
	beyond := slices.IndexFunc(items, func(item T) bool { return item.Position() > position })
	if beyond < 0 {
		return items
	}
	return items[:beyond]
}

// itemBatch is what was read at once; no items at the end of the input.
type itemBatch[T projections.Item] struct {
	items []T
	err   error
}

// batches reads on from the position, one batch ahead of the receiver, until ctx ends or reading fails. Once caughtUp
// is set, it lets items gather.
func (f *follower[T]) batches(ctx context.Context, caughtUp *atomic.Bool) <-chan itemBatch[T] {
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
			case !caughtUp.Load() && len(items) == 0:
				pause.For(ctx, buildTime)
			case caughtUp.Load() && len(items) == 0:
				waitForMore(ctx, grown)
				pause.For(ctx, gatherTime)
			case caughtUp.Load() && len(items) < gatherItems:
				pause.For(ctx, gatherTime)
			}
		}
	}()
	return batches
}

// waitForMore waits for a notification that there is more to read, for pollTime at most.
func waitForMore(ctx context.Context, grown <-chan struct{}) {
	timer := time.NewTimer(pollTime)
	defer timer.Stop()
	select {
	case <-grown:
	case <-timer.C:
	case <-ctx.Done():
	}
}
