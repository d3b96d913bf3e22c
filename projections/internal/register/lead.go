package register

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// LeadingConn takes a connection out of the pool, to hold the advisory locks of TryLead. Closing it releases them,
// whatever state the session is in.
func LeadingConn(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	acquired, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return acquired.Hijack(), nil
}

// TryLead makes a connection the leader of a version, unless another connection is.
func TryLead(ctx context.Context, conn *pgx.Conn, version projections.Schema) (leading bool, err error) {
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, leadKey(version)).Scan(&leading)
	return leading, err
}

// Resign ends the leadership of a connection over a version.
func Resign(ctx context.Context, conn *pgx.Conn, version projections.Schema) error {
	_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, leadKey(version))
	return err
}

func leadKey(version projections.Schema) int64 {
	key := fnv.New64a()
	_, _ = key.Write([]byte("strata projection " + version.String()))
	return int64(key.Sum64())
}
