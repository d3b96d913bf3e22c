package register

import (
	"context"
	"fmt"
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

// Leaders returns the sessions that lead versions, by their process ids at the server.
func Leaders(ctx context.Context, q Querier, es Entries) (map[projections.Schema]int32, error) {
	versions := make(map[int64]projections.Schema, len(es))
	for _, e := range es {
		versions[leadKey(e.Schema)] = e.Schema
	}
	// A key of 64 bits is shown in two halves.
	rows, err := q.Query(ctx, `
		SELECT pid, (classid::bigint << 32) | objid::bigint
		FROM pg_locks
		WHERE locktype = 'advisory' AND objsubid = 1 AND granted
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil {
		return nil, fmt.Errorf("read who leads projections: %w", err)
	}
	leaders := map[projections.Schema]int32{}
	var pid int32
	var key int64
	_, err = pgx.ForEachRow(rows, []any{&pid, &key}, func() error {
		if version, ok := versions[key]; ok {
			leaders[version] = pid
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who leads projections: %w", err)
	}
	return leaders, nil
}

func leadKey(version projections.Schema) int64 {
	key := fnv.New64a()
	_, _ = key.Write([]byte("strata projection " + version.String()))
	return int64(key.Sum64())
}
