package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3/database"
)

// logPart maps each migration that changes the schema log, and nothing else, to a table that it creates there. All others
// leave that schema alone, or can be applied again.
var logPart = map[int64]string{1: "log.event", 3: "log.consumer", 5: "log.subtree", 7: "log.archive", 8: "log.network", 14: "log.small_body", 20: "log.difference", 21: "log.packing", 22: "log.bootstrap", 23: "log.subscription"}

// adopt writes down, for a database that has the log and no table of migrations, which migrations the log contains: its
// schema was restored from a backup. Only the others are applied then.
func adopt(ctx context.Context, conn *sql.Conn) (restored bool, err error) {
	if err := conn.QueryRowContext(ctx, `SELECT to_regclass('log.head') IS NOT NULL AND to_regclass($1) IS NULL`, table).Scan(&restored); err != nil || !restored {
		return false, err
	}
	store, err := database.NewStore(database.DialectPostgres, table)
	if err != nil {
		return false, err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit there is nothing to roll back
	if err := store.CreateVersionTable(ctx, tx); err != nil {
		return false, err
	}
	versions := []int64{0} // goose begins with it
	for version, name := range logPart {
		var there bool
		if err := tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there); err != nil {
			return false, err
		}
		if there {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	for _, version := range versions {
		if err := store.Insert(ctx, tx, database.InsertRequest{Version: version}); err != nil {
			return false, err
		}
	}
	return true, tx.Commit()
}

// RestoreSkips writes down what operators have let projections go past, where a log was brought into a database that was migrated before.
func RestoreSkips(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, restoreSkips); err != nil {
		return fmt.Errorf("read from the log what projections skip: %w", err)
	}
	return nil
}

// restoreSkips writes down again, from the log, what operators have let projections go past.
const restoreSkips = `
	INSERT INTO strata.skip (name, rules, seq, reason, command_seq)
	SELECT c.said->>'projection', (c.said->>'rules')::int, (c.said->>'seq')::bigint, c.said->>'reason', c.seq
	FROM (SELECT seq, convert_from(body, 'UTF8')::jsonb AS said FROM log.delivery WHERE path = 'strata:skip') c
	ORDER BY c.seq
	ON CONFLICT DO NOTHING`
