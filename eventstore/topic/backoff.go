package topic

import (
	"context"
	"errors"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"

	"strata/eventstore"
)

var _ wsql.BackoffManager = (*Backoff)(nil)

// The pause after an error doubles from backoffFirst to backoffLast.
const (
	backoffFirst = 100 * time.Millisecond
	backoffLast  = 5 * time.Second
)

// Backoff makes one subscription wait until the log grows, instead of sleeping. watermill-sql calls HandleError after
// each query and runs the next query when it returns.
//
// No wake-up is lost between a query that finds nothing and the wait: HandleError waits for the channel that the call
// before has taken, and so from before the query began. That is why each subscription needs its own Backoff.
type Backoff struct {
	// Delivered, if set, returns the position of the last message. With it the Backoff also waits after messages, when all
	// that is announced has been delivered.
	Delivered func() int64

	ctx    context.Context
	wake   *eventstore.Wake
	taken  <-chan struct{} // from wake.C, before the last query
	errors int             // in a row
}

// NewBackoff returns the Backoff of one subscription. The end of ctx ends its waiting.
func NewBackoff(ctx context.Context, wake *eventstore.Wake) *Backoff {
	return &Backoff{ctx: ctx, wake: wake, taken: wake.C()}
}

func (b *Backoff) deliveredAll() bool {
	announced := b.wake.Announced()
	return announced > 0 && b.Delivered != nil && b.Delivered() >= announced
}

// HandleError returns a pause of 100 ms to 5 s after an error, and 0 otherwise. If there was no message, or there can't be
// another, it first blocks until the next wake-up, for at most the interval of the Wake.
func (b *Backoff) HandleError(logger watermill.LoggerAdapter, noMsg bool, err error) time.Duration {
	defer func() { b.taken = b.wake.C() }()
	switch {
	case b.ctx.Err() != nil:
		return backoffFirst // the subscription is closing, which may take a moment
	case errors.Is(err, errWindowEmpty):
		b.errors = 0
		return 0
	case err != nil:
		pause := backoffLast
		if b.errors < 6 {
			pause = min(backoffFirst<<b.errors, backoffLast)
		}
		b.errors++
		logger.Error("can't read the log; trying again", err, watermill.LogFields{"pause": pause.String(), "failures": b.errors})
		return pause
	case noMsg, b.deliveredAll():
		b.wake.Wait(b.ctx, b.taken)
	}
	b.errors = 0
	return 0
}
