package projections

import (
	"context"
	"hash/fnv"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// standbyInterval is how often a standby looks whether the leader is gone.
const standbyInterval = 500 * time.Millisecond

// lead keeps other processes from folding the same projection at the same time, which would be right but a waste:
// only one compare-and-set of two succeeds. It waits while another process leads, and returns a function that ends
// the leadership. It is an advisory lock held by a connection: where such locks don't work it returns at once, and
// the compare-and-set alone decides.
func lead(ctx context.Context, pool *pgxpool.Pool, spec Spec, logger *slog.Logger) (resign func(), err error) {
	conn, err := leadership(ctx, pool)
	if err != nil {
		return nil, err
	}
	resign = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	told := false
	for {
		leading, err := tryLead(ctx, conn, spec.instance())
		if err != nil {
			resign()
			return nil, err
		}
		if leading {
			return resign, nil
		}
		if !told {
			told = true
			logger.LogAttrs(ctx, slog.LevelInfo, "another process runs this projection; standing by", slog.String("projection", spec.String()))
		}
		sleep(ctx, standbyInterval)
		if ctx.Err() != nil {
			resign()
			return nil, ctx.Err()
		}
	}
}

// leadership is a connection to lead by.
func leadership(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	acquired, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	// It leaves the pool: closing the session is what gives the lock back, whatever state it is in.
	return acquired.Hijack(), nil
}

// tryLead leads an instance by a connection, unless somebody else does.
func tryLead(ctx context.Context, conn *pgx.Conn, i Instance) (leading bool, err error) {
	key := fnv.New64a()
	_, _ = key.Write([]byte("strata projection " + i.String()))
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, int64(key.Sum64())).Scan(&leading)
	return leading, err
}
