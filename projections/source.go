package projections

import (
	"context"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
)

// source is an input that followers read: the log, or the steps of a version of chain.
type source[T Item] interface {
	// head is the newest position.
	head(ctx context.Context) (int64, error)
	// bytes is how much is to be decoded between a position and the head, which is not far: it looks at each item.
	bytes(ctx context.Context, after, head int64) (int64, error)
	// final says whether who is at the head has caught up. It has not while whoever writes the items is far behind itself.
	final(ctx context.Context) (bool, error)
	// read returns the next items in order; none at the end.
	read(ctx context.Context, after int64) ([]T, error)
	// grown gives a channel that is closed when there may be more to read; nil where nobody tells. It is taken before reading.
	grown() <-chan struct{}
	// subscribe gives a watermill subscriber whose messages start after the position of spec in the register.
	subscribe(spec Spec, logger *slog.Logger) (message.Subscriber, string, error)
	// item decodes a message of that subscriber.
	item(ctx context.Context, msg *message.Message) (T, error)
}

// signOf is the channel of a wake, where there is one.
func signOf(wake *eventstore.Wake) <-chan struct{} {
	if wake == nil {
		return nil
	}
	return wake.C()
}

// Bounds of one batch, which is one transaction when a projection is far behind. Up to four batches are held decoded
// at the same time: one being read, one being folded by chain, one waiting for its followers, and one that they fold.
const (
	batchItems = 2000
	batchBytes = 4 << 20
)
