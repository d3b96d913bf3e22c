package replica

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// seen is what a look at a server found.
type seen struct {
	// wal is how much of the write-ahead log the server has: written, or replayed on a replica.
	wal int64
	// writable says that it replays nothing.
	writable bool
	// log is the largest position of the log that its active read tables reflect.
	log int64
}

// look reads how far a server is.
func look(ctx context.Context, conn *pgx.Conn) (now seen, err error) {
	err = conn.QueryRow(ctx, `
		SELECT pg_catalog.pg_wal_lsn_diff(CASE WHEN r THEN coalesce(pg_catalog.pg_last_wal_replay_lsn(), '0/0') ELSE pg_catalog.pg_current_wal_flush_lsn() END, '0/0')::bigint,
		       NOT r, (SELECT coalesce(max(p.log_seq), 0) FROM strata.active a JOIN strata.projection p USING (name, version))
		FROM pg_catalog.pg_is_in_recovery() AS r`).Scan(&now.wal, &now.writable, &now.log)
	return now, err
}

// history is how much of the write-ahead log the primary had, and when. It tells for how long a replica lacks what the primary has,
// by one clock.
type history struct {
	keep    time.Duration
	samples []sample
}

type sample struct {
	at  time.Time
	wal int64
}

// add notes how much the primary has now.
func (h *history) add(at time.Time, wal int64) {
	if n := len(h.samples); n > 0 && h.samples[n-1].wal == wal {
		return // the time at which it came to have this much is what counts
	}
	h.samples = append(h.samples, sample{at, wal})
	drop := 0
	for drop < len(h.samples)-1 && at.Sub(h.samples[drop+1].at) > h.keep { // the first one is older than keep, so that no lag looks shorter
		drop++
	}
	h.samples = h.samples[drop:]
}

// behind returns for how long a server that has this much has been behind the primary; 0 if nothing of the primary is known.
func (h *history) behind(now time.Time, wal int64) time.Duration {
	for _, s := range h.samples {
		if s.wal > wal {
			return now.Sub(s.at)
		}
	}
	return 0
}
