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

// Bounds of the pause after an error; it doubles from the first to the last.
const (
	backoffFirst = 100 * time.Millisecond
	backoffLast  = 5 * time.Second
)

// Backoff lets one subscription wait for the log to grow instead of sleeping: watermill-sql calls HandleError after
// each query and runs the next one when it returns.
//
// No wake-up slips through between a query that finds nothing and the waiting: the channel that is waited on was
// taken when the call before ended, hence before that query began. For the same reason each subscription needs a
// Backoff of its own.
type Backoff struct {
	ctx    context.Context
	wake   *eventstore.Wake
	taken  <-chan struct{}
	errors int
}

// NewBackoff makes the Backoff of one subscription. When ctx ends, nothing waits any more.
func NewBackoff(ctx context.Context, wake *eventstore.Wake) *Backoff {
	return &Backoff{ctx: ctx, wake: wake, taken: wake.C()}
}

// HandleError blocks, when there was no message, until the wake-up or its interval is over, and returns 0. For an
// error it returns a pause between 100 ms and 5 s.
func (b *Backoff) HandleError(logger watermill.LoggerAdapter, noMsg bool, err error) time.Duration {
	defer func() { b.taken = b.wake.C() }()
	switch {
	case b.ctx.Err() != nil:
		return backoffFirst // it is being closed, which may take a moment
	case errors.Is(err, errWindowEmpty):
		b.errors = 0
		return 0
	case err != nil:
		pause := backoffLast
		if b.errors < 6 {
			pause = min(backoffFirst<<b.errors, backoffLast)
		}
		b.errors++
		logger.Error("reading the log failed; trying again", err, watermill.LogFields{"pause": pause.String(), "failures": b.errors})
		return pause
	case noMsg:
		b.wake.Wait(b.ctx, b.taken)
	}
	b.errors = 0
	return 0
}
