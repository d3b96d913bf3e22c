package register

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// LeadingConn takes a connection out of the pool, to lead with TryLead. Closing it ends the lead, whatever state the session is
// in.
func LeadingConn(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	acquired, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return acquired.Hijack(), nil
}

// leaders selects the rows of strata.lead whose sessions exist, as l and a. The server hides from a role when the sessions of
// others began; such a session counts if its role folds.
const leaders = `
	FROM strata.lead l CROSS JOIN LATERAL pg_stat_get_activity(l.pid) a
	WHERE coalesce(a.backend_start = l.session_start, has_table_privilege(a.usesysid, 'strata.projection', 'UPDATE'))`

// tryLeadSQL writes only if there seems to be no leader. The row that it updates is locked, so that of several sessions one leads.
const tryLeadSQL = `
	INSERT INTO strata.lead (name, version, pid, session_start)
	SELECT $1::text, $2::int, pid, backend_start FROM pg_stat_get_activity(pg_backend_pid())
	WHERE NOT EXISTS (SELECT ` + leaders + ` AND l.name = $1 AND l.version = $2 AND l.pid <> pg_backend_pid())
	ON CONFLICT (name, version) DO UPDATE SET pid = excluded.pid, session_start = excluded.session_start
	WHERE NOT EXISTS (
		SELECT FROM pg_stat_get_activity(lead.pid) a
		WHERE a.pid <> pg_backend_pid()
		  AND coalesce(a.backend_start = lead.session_start, has_table_privilege(a.usesysid, 'strata.projection', 'UPDATE')))`

// TryLead makes a connection the leader of a version, unless another connection is.
func TryLead(ctx context.Context, conn *pgx.Conn, version projections.Schema) (leading bool, err error) {
	tag, err := conn.Exec(ctx, tryLeadSQL, version.Name, version.Version)
	return tag.RowsAffected() == 1, err
}

// Resign ends the leadership of a connection over a version.
func Resign(ctx context.Context, conn *pgx.Conn, version projections.Schema) error {
	_, err := conn.Exec(ctx, `DELETE FROM strata.lead WHERE name = $1 AND version = $2 AND pid = pg_backend_pid()`, version.Name, version.Version)
	return err
}

// Leaders returns the sessions that lead versions, by their process ids at the server.
func Leaders(ctx context.Context, q Querier) (map[projections.Schema]int32, error) {
	rows, err := q.Query(ctx, `SELECT l.name, l.version, l.pid `+leaders)
	if err != nil {
		return nil, fmt.Errorf("read who leads projections: %w", err)
	}
	all := map[projections.Schema]int32{}
	var version projections.Schema
	var pid int32
	_, err = pgx.ForEachRow(rows, []any{&version.Name, &version.Version, &pid}, func() error {
		all[version] = pid
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who leads projections: %w", err)
	}
	return all, nil
}
