package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A notification wakes a session of Postgres for each process that listens, and then that process. A process knows what it commits
// itself, so the only one that listens needs none. Advisory locks say which one that is: the first to listen holds lockFirst, and
// all others share lockOthers. A writer of the first does not notify if it can hold lockOthers alone until it has committed:
// nobody else listens then, and whoever begins to waits for the commit, and then looks for what has been committed.
//
// A stranger who holds one of these locks only makes writers notify: nobody waits for it longer than placeTimeout.
//
// A process with a program that does not know these locks, or behind a pooler, learns of such a commit when it polls.
const (
	lockFirst  = 0x7374726174610003
	lockOthers = 0x7374726174610004 // log.alone has it, too
)

// NotifySQL returns an expression that notifies those who listen on a channel, unless only this process does, and that says
// whether it has. Its arguments are expressions: alone has the value of Alone, channel and payload are texts. A writer that did not
// notify calls Skipped.
func NotifySQL(alone, channel, payload string) string {
	return fmt.Sprintf(`CASE WHEN %s AND log.alone() OR pg_notification_queue_usage() > %g THEN false ELSE pg_notify(%s, %s) IS NOT NULL END`,
		alone, queueMost, channel, payload)
}

// queueMost is the part of the queue of notifications that may be in use. Any session can keep the queue from being emptied and fill
// it, and then every commit that notifies fails. Others poll instead.
const queueMost = 0.5

// Alone reports whether this listener was the first to listen in its database, and still does.
func (l *Listener) Alone() bool { return l.alone.Load() }

// Skipped wakes those who wait on a channel for a notification that was not sent.
func (l *Listener) Skipped(channel string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.wakes {
		if w.channel == channel && w.ignored.Load() == nil {
			w.Signal()
		}
	}
}

// placeInterval is how often a listener tries to become the first: whoever was may have left.
const placeInterval = time.Minute

// placeTimeout is the longest time to wait for a share of lockOthers. Writers hold that lock for the time of a commit.
const placeTimeout = 5 * time.Second

// takePlace takes the place of the first to listen, or else one among the others, unless the listener has it already.
func (r *listenerRun) takePlace(ctx context.Context, conn *pgx.Conn, other *bool) error {
	if r.Alone() || !KeepsSession(conn.Config()) {
		return nil
	}
	var first bool
	err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, lockFirst).Scan(&first)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege: it polls for what the first one commits
		return nil
	}
	if err != nil {
		return fmt.Errorf("become the first to listen: %w", err)
	}
	switch {
	case first && *other:
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1)`, lockOthers); err != nil {
			return fmt.Errorf("leave the others that listen: %w", err)
		}
		*other = false
	case !first && !*other:
		_, err := conn.Exec(ctx, `SELECT pg_advisory_lock_shared($1) FROM set_config('lock_timeout', $2, false)`, lockOthers, fmt.Sprint(placeTimeout.Milliseconds()))
		if errors.As(err, &refused) && refused.Code == "55P03" { // lock_not_available: whoever holds it makes writers notify
			break
		}
		if err != nil {
			return fmt.Errorf("join the others that listen: %w", err)
		}
		*other = true
	}
	r.alone.Store(first)
	return nil
}

// KeepsSession reports whether connections keep their locks and settings: unless a pooler is between, for which statements are
// not to be prepared by name.
func KeepsSession(config *pgx.ConnConfig) bool {
	return config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement
}
