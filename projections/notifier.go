package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// notifier tells whoever listens on a channel of the database that something was committed. It notifies outside of the
// transactions that it tells of, because a NOTIFY makes commits queue, and joins what happens meanwhile into one.
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
	default: // told already, and not sent yet
	}
}

// notifyInterval is how often others are told at most.
const notifyInterval = 5 * time.Millisecond

func (n *notifier) run(ctx context.Context) {
	for {
		select {
		case <-n.pending:
		case <-ctx.Done():
			return
		}
		// Polling finds what a lost notification would have told.
		_, _ = n.pool.Exec(ctx, `SELECT pg_notify($1, '')`, n.channel)
		sleep(ctx, notifyInterval)
	}
}
