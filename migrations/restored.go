package migrations

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3/database"
)

// logPart maps each migration that changes the schema log, and nothing else, to a table that it creates there. All others
// leave that schema alone.
var logPart = map[int64]string{1: "log.event", 3: "log.consumer", 5: "log.subtree", 7: "log.archive"}

// adopt reports whether a database has the log and no table of migrations: then its schema log was restored from a backup.
// It writes down which migrations the backup contains, so that only the others are applied.
func adopt(ctx context.Context, conn *sql.Conn) (restored bool, err error) {
	if err := conn.QueryRowContext(ctx, `SELECT to_regclass('log.head') IS NOT NULL AND to_regclass($1) IS NULL`, table).Scan(&restored); err != nil {
		return false, fmt.Errorf("look for a restored log: %w", err)
	}
	if !restored {
		return false, nil
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("adopt a restored log: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // after the commit there is nothing to roll back
	store, err := database.NewStore(database.DialectPostgres, table)
	if err == nil {
		err = store.CreateVersionTable(ctx, tx)
	}
	if err == nil {
		err = store.Insert(ctx, tx, database.InsertRequest{Version: 0})
	}
	for version, name := range logPart {
		var there bool
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there)
		}
		if err == nil && there {
			err = store.Insert(ctx, tx, database.InsertRequest{Version: version})
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return false, fmt.Errorf("adopt a restored log: %w", err)
	}
	return true, nil
}
