package importer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// progressRow is the progress of an archive's import: its row in log.import.
type progressRow struct {
	archive  string
	dialect  string
	lines    int64
	bytes    int64
	events   int64
	prefix   [sha256.Size]byte
	started  time.Time
	finished bool
	exists   bool // in the database
}

// loadRow reads the row of an archive. If there is none, it returns the row of an import that has not started.
func loadRow(ctx context.Context, pool *pgxpool.Pool, archive string) (progressRow, error) {
	row := progressRow{archive: archive, prefix: sha256.Sum256(nil)}
	var prefix []byte
	err := pool.QueryRow(ctx, `
		SELECT dialect, lines, bytes, events, prefix_sha256, started_at, finished_at IS NOT NULL
		FROM log.import WHERE archive = $1`, archive).
		Scan(&row.dialect, &row.lines, &row.bytes, &row.events, &prefix, &row.started, &row.finished)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, nil
	}
	if err != nil {
		return row, fmt.Errorf("read the import progress of %s: %w", archive, err)
	}
	if len(prefix) != sha256.Size {
		return row, fmt.Errorf("log.import has a digest of %d bytes for %s, want %d: the row was changed by hand", len(prefix), archive, sha256.Size)
	}
	row.prefix, row.exists = [sha256.Size]byte(prefix), true
	return row, nil
}

type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// save updates the row in the database from before to row. It returns ErrConcurrent if the database has another state
// than before.
func (row progressRow) save(ctx context.Context, db executor, before progressRow) error {
	sql := `
		UPDATE log.import
		SET dialect = $2, lines = $3, bytes = $4, events = $5, prefix_sha256 = $6,
		    finished_at = CASE WHEN $7::boolean THEN now() END
		WHERE archive = $1 AND bytes = $8`
	args := []any{row.archive, row.dialect, row.lines, row.bytes, row.events, row.prefix[:], row.finished}
	if before.exists {
		args = append(args, before.bytes)
	} else {
		sql = `
		INSERT INTO log.import (archive, dialect, lines, bytes, events, prefix_sha256, started_at, finished_at)
		VALUES ($1, $2, $3, $4, $5, $6, now(), CASE WHEN $7::boolean THEN now() END)
		ON CONFLICT (archive) DO NOTHING`
	}
	tag, err := db.Exec(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("store the import progress of %s: %w", row.archive, err)
	}
	if tag.RowsAffected() != 1 {
		return fmt.Errorf("%w: another import of %s is under way; wait for its end, then run this one again", ErrConcurrent, row.archive)
	}
	return nil
}
