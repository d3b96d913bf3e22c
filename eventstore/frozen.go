package eventstore

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/pause"
)

// A process that is frozen, or whose machine is gone, while its transaction holds the lock of log.head, stops all writers
// until TCP gives up, which may take hours. Postgres has no timeout for a session that waits for the rest of a COPY. So a
// writer that waits for long looks who holds the lock, and ends sessions that do not move.

// How long a write takes before it looks for frozen sessions, and how long such a session must not move.
const (
	frozenPatience = 5 * time.Second
	frozenInterval = 5 * time.Second
)

// stuckSQL selects the sessions that block an append while the server waits for their client, with the bytes that each has
// sent of its COPY.
const stuckSQL = `
SELECT a.pid, a.xact_start, coalesce(c.bytes_processed, 0), coalesce(host(a.client_addr), 'local')
FROM pg_stat_activity a LEFT JOIN pg_stat_progress_copy c USING (pid)
WHERE a.wait_event = 'ClientRead' AND a.xact_start < clock_timestamp() - make_interval(secs => $1) AND a.pid IN (
	SELECT unnest(pg_blocking_pids(w.pid)) FROM pg_stat_activity w
	WHERE w.datname = current_database() AND w.wait_event_type = 'Lock' AND w.query LIKE '%log.head%'
)`

// stuck is a session as stuckSQL sees it. Two equal values mean that it has not moved.
type stuck struct {
	pid     int32
	since   time.Time
	taken   int64
	address string
}

// guard ends frozen sessions that a write waits for. The caller calls done when the write is over.
func (l *Log) guard() (done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(frozenPatience, func() { l.endFrozen(ctx) })
	return func() {
		timer.Stop()
		cancel()
	}
}

// endFrozen looks for frozen sessions, and ends them, until ctx ends.
func (l *Log) endFrozen(ctx context.Context) {
	var before map[stuck]bool
	for ; ctx.Err() == nil; pause.For(ctx, frozenInterval) {
		found, err := l.stuckSessions(ctx)
		if err != nil && ctx.Err() == nil {
			l.logger.LogAttrs(ctx, slog.LevelWarn, "cannot find the sessions that hold the log's head", slog.Any("error", err))
		}
		now := map[stuck]bool{}
		for _, s := range found {
			now[s] = true
			if before[s] {
				l.end(ctx, s)
			}
		}
		before = now
	}
}

func (l *Log) stuckSessions(ctx context.Context) ([]stuck, error) {
	rows, _ := l.pool.Query(ctx, stuckSQL, frozenPatience.Seconds())
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s stuck, err error) {
		return s, row.Scan(&s.pid, &s.since, &s.taken, &s.address)
	})
}

// end ends a session, whose transaction is rolled back. What it would have written was acknowledged to nobody.
func (l *Log) end(ctx context.Context, s stuck) {
	// The write goes on as soon as the session has ended, and ends ctx. Operators are told all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), frozenInterval)
	defer cancel()
	attrs := []slog.Attr{slog.Int("pid", int(s.pid)), slog.String("client", s.address), slog.Time("since", s.since)}
	var ended bool
	err := l.pool.QueryRow(ctx, `SELECT pg_terminate_backend($1)`, s.pid).Scan(&ended)
	switch {
	case err != nil:
		l.logger.LogAttrs(ctx, slog.LevelError, "cannot end a stalled session that holds the log's head", append(attrs, slog.Any("error", err))...)
	case ended:
		l.logger.LogAttrs(ctx, slog.LevelWarn, "ended a stalled session that held the log's head", attrs...)
	}
}
