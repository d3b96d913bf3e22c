package follow

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
)

// notifier notifies listeners on a channel of the database that something was committed. It does so outside the
// committing transactions, because a NOTIFY makes commits queue, and joins notifications that come close together into
// one.
type notifier struct {
	pool    *pgxpool.Pool
	channel string
	pending chan struct{}
}

func newNotifier(pool *pgxpool.Pool, channel string) *notifier {
	return &notifier{pool: pool, channel: channel, pending: make(chan struct{}, 1)}
}

func (n *notifier) notify() {
	select {
	case n.pending <- struct{}{}:
	default: // a notification is pending already
	}
}

// notifyInterval is the minimum time between two notifications.
const notifyInterval = 5 * time.Millisecond

func (n *notifier) run(ctx context.Context) {
	for {
		select {
		case <-n.pending:
		case <-ctx.Done():
			return
		}
		// A lost notification costs one polling interval.
		_, _ = n.pool.Exec(ctx, `SELECT pg_notify($1, '')`, n.channel)
		pause.For(ctx, notifyInterval)
	}
}
