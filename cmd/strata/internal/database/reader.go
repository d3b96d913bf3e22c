package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Postgres lets every role make temporary tables and large objects (also in transactions that only read), write messages into the
// WAL, and take so many advisory locks that nobody else gets any lock; before version 15, it lets them make tables in schema public,
// too. These privileges are PUBLIC's, so they can't be taken from one role alone.
const (
	// writers matches the functions that write large objects or the WAL, lockers those that lock.
	writers = `p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^(lo_(?!import|export).*|lowrite|pg_logical_emit_message)$'`
	lockers = `p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^pg_(try_)?advisory_.*lock'`
)

// Reader is a role that reads the views in schema api, and does not own them.
type Reader struct {
	Name string
	// May is what it may do besides; empty if it can only read.
	May []string
}

// Readers returns the roles that read, except superusers.
func Readers(ctx context.Context, q interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) ([]Reader, error) {
	rows, _ := q.Query(ctx, `
		SELECT r.rolname, array_remove(ARRAY[
			CASE WHEN has_database_privilege(r.oid, d.oid, 'TEMP') THEN 'make temporary tables' END,
			CASE WHEN has_database_privilege(r.oid, d.oid, 'CREATE') THEN 'make schemas' END,
			(SELECT 'make tables in schema ' || string_agg(quote_ident(n.nspname), ', ' ORDER BY 1) FROM pg_namespace n
			 WHERE n.nspname !~ '^pg_' AND has_schema_privilege(r.oid, n.oid, 'CREATE') HAVING count(*) > 0),
			CASE WHEN EXISTS (SELECT FROM pg_proc p WHERE `+writers+` AND has_function_privilege(r.oid, p.oid, 'EXECUTE'))
				THEN 'write large objects or messages into the WAL' END,
			CASE WHEN EXISTS (SELECT FROM pg_proc p WHERE `+lockers+` AND has_function_privilege(r.oid, p.oid, 'EXECUTE'))
				THEN 'take advisory locks until nobody gets any lock' END,
			CASE WHEN current_setting('temp_file_limit') = '-1' AND NOT EXISTS (
				SELECT FROM pg_db_role_setting s, unnest(s.setconfig) c
				WHERE s.setrole IN (r.oid, 0) AND s.setdatabase IN (d.oid, 0) AND c LIKE 'temp\_file\_limit=%' AND c <> 'temp_file_limit=-1')
				THEN 'fill the disk with temporary files' END,
			CASE WHEN r.rolconnlimit = -1 THEN 'take all connections' END
		], NULL)
		FROM pg_roles r, pg_database d
		WHERE d.datname = current_database() AND r.rolcanlogin AND NOT r.rolsuper AND has_schema_privilege(r.oid, 'api', 'USAGE')
		  AND NOT pg_has_role(r.oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'api'), 'MEMBER')
		ORDER BY 1`)
	readers, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Reader])
	if err != nil {
		return nil, fmt.Errorf("read what roles that read may do: %w", err)
	}
	return readers, nil
}

// Withhold takes from PUBLIC, in this database, what lets a role that reads write or lock, and grants it to the owner of the database
// and to those who append to the log. What the role of db may not change stays; Readers tells what that is.
func Withhold(ctx context.Context, db interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var withheld []string
		var keepers *string // nil if they are superusers, who need no privileges
		err := tx.QueryRow(ctx, `
			SELECT ARRAY['TEMPORARY ON DATABASE ' || quote_ident(d.datname), 'CREATE ON SCHEMA public',
			         (SELECT 'EXECUTE ON FUNCTION ' || string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p WHERE `+writers+` OR `+lockers+`)],
			       (SELECT string_agg(quote_ident(r.rolname), ', ') FROM pg_roles r
			        WHERE NOT r.rolsuper AND r.rolname !~ '^pg_' AND (r.oid = d.datdba OR has_table_privilege(r.oid, e.oid, 'INSERT')))
			FROM pg_database d, pg_class e JOIN pg_namespace n ON n.oid = e.relnamespace
			WHERE d.datname = current_database() AND n.nspname = 'log' AND e.relname = 'event'`).Scan(&withheld, &keepers)
		if err != nil {
			return fmt.Errorf("read what every role may do: %w", err)
		}
		for _, privilege := range withheld {
			statements := `REVOKE ` + privilege + ` FROM PUBLIC`
			if keepers != nil {
				statements = `GRANT ` + privilege + ` TO ` + *keepers + `; ` + statements
			}
			if err := TryExec(ctx, tx, statements); err != nil {
				return fmt.Errorf("withhold %s from roles that read: %w", privilege, err)
			}
		}
		return nil
	})
}

// TryExec executes statements of a transaction, or none of them if its role may not.
func TryExec(ctx context.Context, tx pgx.Tx, statements string) error {
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statements)
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege
		return nil
	}
	return err
}
