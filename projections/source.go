package projections

import (
	"context"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"
)

// source is an input that followers read: the log, or the steps of a version of chain.
type source[T Item] interface {
	// head is the newest position.
	head(ctx context.Context) (int64, error)
	// read returns the next items in order; none at the end.
	read(ctx context.Context, after int64) ([]T, error)
	// subscribe gives a watermill subscriber whose messages start after the position of spec in the register.
	subscribe(spec Spec, logger *slog.Logger) (message.Subscriber, string, error)
	// item decodes a message of that subscriber.
	item(ctx context.Context, msg *message.Message) (T, error)
}

// Bounds of one batch, which is one transaction when a projection is far behind. Up to four batches are held decoded
// at the same time: one being read, one being folded by chain, one waiting for its followers, and one that they fold.
const (
	batchItems = 2000
	batchBytes = 4 << 20
)
