package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// A follower folds what it reads at once as one batch when that is more than bulkLag items, or at least two that have
// more than bulkBytes together: blocks of the ordinals feed have megabytes. Otherwise it folds one item after the other,
// so that readers see each block.
const (
	bulkLag   = 64
	bulkBytes = 1 << 20
)

const (
	// buildInterval is how often a follower whose leader is still far behind looks for more steps.
	buildInterval = 10 * time.Millisecond
	// spaceInterval is how often a follower that waits for space on the disk looks again.
	spaceInterval = 200 * time.Millisecond
)

// errOpen ends the consumption of a follower, so that it joins its group.
var errOpen = errors.New("the group is open")

// consume folds what the input has after the position, batch by batch, until ctx ends or something goes wrong. It returns
// nil as soon as the follower is near the head and its group is open.
func (f *follower[T]) consume(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NewSlogLoggerWithLevelMapping(f.logger, routerLevels))
	if err != nil {
		return err
	}
	handle := f.handler(ctx)
	router.AddConsumerHandler(f.spec.String(), f.spec.String(), subscriber[T]{f, stop}, func(msg *message.Message) error {
		_, err := handle(msg)
		if err != nil {
			stop(err)
		}
		return err
	})
	f.meter.Start()
	defer f.meter.Stop() // only now does nobody fold any more, who would read it
	if err := router.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errOpen) && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// routerLevels keep watermill's own messages out of the log: a follower says itself what fails.
var routerLevels = map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug, slog.LevelDebug: slog.LevelDebug - 4, slog.LevelError: slog.LevelDebug}

// foldRetries is how often a single item is tried again before it stops its projection. The pauses double, the first is some 28 ms.
const (
	foldRetries = 4
	retryPause  = 20 * time.Millisecond
)

// handler returns what folds the items of a message.
func (f *follower[T]) handler(ctx context.Context) message.HandlerFunc {
	fold := func(msg *message.Message) ([]*message.Message, error) {
		items := itemsOf[T](msg)
		done := slices.IndexFunc(items, func(item T) bool { return item.Position() > f.position })
		if done < 0 {
			done = 0 // another process has folded all of them
		}
		return nil, f.take(ctx, items[done:])
	}
	retry := middleware.Retry{
		MaxRetries: foldRetries, InitialInterval: retryPause, MaxInterval: time.Second,
		Multiplier:  math.Sqrt2, // Retry advances its pause twice for each retry that ShouldRetry decides on
		ShouldRetry: func(p middleware.RetryParams) bool { return isFoldError(p.Err) },
	}
	return f.quarantineFailed(ctx, retry.Middleware(middleware.Recoverer(fold)))
}

// quarantineFailed is the middleware that skips an item that can't be folded, if it may be skipped, and goes on after it.
func (f *follower[T]) quarantineFailed(ctx context.Context, handle message.HandlerFunc) message.HandlerFunc {
	return func(msg *message.Message) ([]*message.Message, error) {
		for {
			_, err := handle(msg)
			var failed *FoldError
			if !errors.As(err, &failed) {
				return nil, err
			}
			items := itemsOf[T](msg)
			i := slices.IndexFunc(items, func(item T) bool { return item.Position() == failed.Position })
			if i < 0 {
				return nil, err
			}
			if err := f.skip(ctx, items[i], failed); err != nil {
				return nil, err
			}
			if i == len(items)-1 {
				return nil, nil
			}
		}
	}
}

func isFoldError(err error) bool {
	var failed *FoldError
	return errors.As(err, &failed)
}

// itemsKey is the key of the items in the context of a message.
type itemsKey struct{}

// batch returns the message that delivers items. The items themselves are in its context: they are decoded already, and
// the message does not leave the process.
func batch[T projections.Item](ctx context.Context, items []T) *message.Message {
	msg := message.NewMessage(fmt.Sprintf("%d-%d", items[0].Position(), items[len(items)-1].Position()), nil)
	msg.SetContext(context.WithValue(ctx, itemsKey{}, items))
	return msg
}

func itemsOf[T projections.Item](msg *message.Message) []T {
	return msg.Context().Value(itemsKey{}).([]T)
}

// subscriber is the input of a follower as a watermill subscriber: a message is a batch, one item at the tip. It delivers
// the next one after the Ack.
type subscriber[T projections.Item] struct {
	follower *follower[T]
	stop     context.CancelCauseFunc
}

var _ message.Subscriber = subscriber[projections.Step]{}

func (s subscriber[T]) Subscribe(ctx context.Context, _ string) (<-chan *message.Message, error) {
	messages := make(chan *message.Message)
	go func() {
		defer close(messages)
		d := delivery[T]{follower: s.follower, messages: messages}
		if err := d.run(ctx); err != nil && ctx.Err() == nil {
			s.stop(err)
		}
	}()
	return messages, nil
}

func (s subscriber[T]) Close() error { return nil }

// delivery reads batches and hands them over.
type delivery[T projections.Item] struct {
	follower  *follower[T]
	messages  chan<- *message.Message
	pending   *message.Message // not acknowledged yet
	arrived   bool             // the version has caught up
	confirmed time.Time
}

var errNacked = errors.New("the items before were not folded")

// run reads one batch while the one before is folded, as long as the follower is far behind.
func (d *delivery[T]) run(ctx context.Context) error {
	f := d.follower
	for after := f.position; ctx.Err() == nil; {
		grown := f.source.grown()
		items, bytes, err := f.source.read(ctx, after)
		if err == nil {
			err = d.settle(ctx)
		}
		if err != nil {
			return err
		}
		near := len(items) <= bulkLag && (bytes <= bulkBytes || len(items) <= 1)
		if err := d.place(ctx, near, len(items)); err != nil {
			return err
		}
		together := len(items)
		if near && d.arrived {
			together = 1
		}
		for next := range slices.Chunk(items, max(1, together)) {
			if err := d.settle(ctx); err != nil {
				return err
			}
			if err := d.deliver(ctx, next); err != nil {
				return err
			}
		}
		if len(items) > 0 {
			after = items[len(items)-1].Position()
		}
		if near && d.arrived {
			if err := d.settle(ctx); err != nil {
				return err
			}
		}
		switch {
		case len(items) == 0 && !d.arrived:
			pause.For(ctx, buildInterval)
		case len(items) == 0, f.source.announced(after):
			f.source.wait(ctx, grown)
			if err := d.confirm(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// place takes note of whether the follower is near the head, and has it join its group there.
func (d *delivery[T]) place(ctx context.Context, near bool, waiting int) error {
	f := d.follower
	if !near {
		if waiting < batchItems || !d.arrived {
			return nil
		}
		d.arrived = false // far behind: the members of its group would only wait
		f.meter.Start()
		if f.group != nil {
			f.group.close()
		}
		return register.WriteState(ctx, f.pool, f.spec.Schema, f.epoch, register.StateBuilding)
	}
	if !d.arrived {
		arrived, err := f.arrive(ctx)
		if err != nil || !arrived {
			return err
		}
		d.arrived = true
		f.meter.Stop()
		if f.group != nil {
			f.group.open()
		}
	}
	if f.joins != nil && f.joins.canJoin() {
		return errOpen
	}
	return nil
}

// deliver hands over a batch.
func (d *delivery[T]) deliver(ctx context.Context, items []T) error {
	f := d.follower
	if !d.arrived {
		f.awaitSpace(ctx)
	}
	if f.pace != nil && len(items) > 1 {
		if err := f.pace.wait(ctx); err != nil {
			return err
		}
	}
	msg := batch(ctx, items)
	select {
	case d.messages <- msg:
		d.pending = msg
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle waits until the batch that was handed over is folded.
func (d *delivery[T]) settle(ctx context.Context) error {
	if d.pending == nil {
		return nil
	}
	select {
	case <-d.pending.Acked():
		d.follower.meter.Count(len(itemsOf[T](d.pending)))
		d.pending = nil
		return nil
	case <-d.pending.Nacked():
		return errNacked
	case <-ctx.Done():
		return ctx.Err()
	}
}

// confirm looks at times whether the version is still where this follower, which has nothing to do, has left it. It returns errMoved
// if somebody has moved it, and removes members of the group that were moved.
func (d *delivery[T]) confirm(ctx context.Context) error {
	f := d.follower
	if time.Since(d.confirmed) < rarely*f.interval {
		return nil
	}
	d.confirmed = time.Now()
	if err := d.settle(ctx); err != nil { // what is still folded moves the version
		return err
	}
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	if place.Position != f.position {
		return errMoved
	}
	if f.group != nil {
		return f.group.check(ctx)
	}
	return nil
}

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

// foldUntil folds up to a position, or to the end of the input: what a follower does that nobody waits for.
func (f *follower[T]) foldUntil(ctx context.Context, position int64) error {
	place, err := f.readPlace(ctx)
	if err != nil {
		return err
	}
	f.reach(place.Position)
	return f.foldRest(ctx, position)
}

// foldRest folds what there is to read now, up to a position.
func (f *follower[T]) foldRest(ctx context.Context, position int64) error {
	handle := f.handler(ctx)
	for f.position < position {
		items, _, err := f.source.read(ctx, f.position)
		if err != nil {
			return err
		}
		if beyond := slices.IndexFunc(items, func(item T) bool { return item.Position() > position }); beyond >= 0 {
			items = items[:beyond]
		}
		if len(items) == 0 {
			return nil
		}
		together := 1
		if len(items) > bulkLag {
			together = len(items)
		}
		for next := range slices.Chunk(items, together) {
			if _, err := handle(batch(ctx, next)); err != nil {
				return err
			}
		}
	}
	return nil
}
