package follow

import (
	"context"
	"errors"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore/topic"
)

// lagCheckItems is after how many items a live follower checks whether it has fallen far behind. It also does after the
// first: what made live mode begin may have been a large item, or one of many.
const lagCheckItems = 16

// lagCheckInterval is how often a live follower checks whether it has fallen far behind. The subscriber can't be asked:
// it swallows errors of its query.
const lagCheckInterval = 5 * time.Second

// live takes items one at a time from a watermill router until ctx ends, an item fails, or it falls far behind, in
// which case it returns nil.
func (f *follower[T]) live(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	subscriber, topicName, err := f.source.subscribe(f.spec, f.logger)
	if err != nil {
		return err
	}
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: 10 * time.Second}, topic.WatermillLogger(f.logger))
	if err != nil {
		return err
	}
	handled := 0
	router.AddConsumerHandler(f.spec.String(), topicName, subscriber, func(msg *message.Message) error {
		item, err := f.source.item(ctx, msg)
		if err == nil {
			err = f.take(ctx, []T{item})
		}
		if handled++; err == nil && handled%lagCheckItems == 1 {
			err = f.checkLag(ctx)
		}
		if err != nil {
			stop(err)
		}
		if errors.Is(err, errBehind) {
			return nil // the item itself was folded
		}
		return err
	})
	go f.watchLag(ctx, stop)
	if f.joins != nil {
		opened := f.joins.whenOpen()
		go func() {
			select {
			case <-opened:
				stop(errBehind) // to join
			case <-ctx.Done():
			}
		}()
	}
	if err := router.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errBehind) && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// checkLag returns errBehind when the follower has fallen far behind.
func (f *follower[T]) checkLag(ctx context.Context) error {
	head, err := f.source.head(ctx)
	if err != nil {
		return err
	}
	far, err := f.farBehind(ctx, f.position, head)
	if err == nil && far {
		err = errBehind
	}
	return err
}

// watchLag calls stop with errBehind when the follower has fallen far behind.
func (f *follower[T]) watchLag(ctx context.Context, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(lagCheckInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		head, err := f.source.head(ctx)
		if err != nil {
			if ctx.Err() == nil && !transient(err) {
				stop(err)
			}
			continue
		}
		place, err := f.readPlace(ctx)
		if err != nil {
			continue
		}
		if f.group != nil {
			_ = f.group.check(ctx) // it is tried again
		}
		f.metrics.head.WithLabelValues(labels(f.spec.Schema)...).Set(float64(head))
		f.metrics.position.WithLabelValues(labels(f.spec.Schema)...).Set(float64(place.Position))
		if far, err := f.farBehind(ctx, place.Position, head); err == nil && far {
			stop(errBehind)
			return
		}
	}
}
