package follow

import (
	"context"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
	"strata/projections"
)

// source is an input of followers: the log, or the steps of a version of a leader.
type source[T projections.Item] interface {
	// head returns the newest position.
	head(ctx context.Context) (int64, error)
	// bytes returns how much is to be decoded between a position and the head. It looks at each item, so the two must
	// not be far apart.
	bytes(ctx context.Context, after, head int64) (int64, error)
	// final reports whether a follower at the head has caught up. It has not while the writer of the items is itself
	// far behind.
	final(ctx context.Context) (bool, error)
	// read returns the next items in order; none at the end.
	read(ctx context.Context, after int64) ([]T, error)
	// grown returns a channel that is closed when there may be more to read; nil where there are no notifications. Take
	// it before reading.
	grown() <-chan struct{}
	// subscribe returns a watermill subscriber, and its topic, whose messages start after the position of spec in the
	// register.
	subscribe(spec projections.Spec, logger *slog.Logger) (subscriber message.Subscriber, topic string, err error)
	// item decodes a message of that subscriber.
	item(ctx context.Context, msg *message.Message) (T, error)
}

// wakeChannel returns the channel of a wake, where there is one.
func wakeChannel(wake *eventstore.Wake) <-chan struct{} {
	if wake == nil {
		return nil
	}
	return wake.C()
}

// Bounds of one batch, which is one transaction when a projection is far behind. Up to four decoded batches are held at
// the same time: one being read, one being folded by the leader, one waiting for the followers, and one that they fold.
const (
	batchItems = 2000
	batchBytes = 4 << 20
)
