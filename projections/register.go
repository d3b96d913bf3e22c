package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// States of a version.
const (
	StateBuilding = "building"
	StateLive     = "live"
	StateFailed   = "failed"
)

// ErrNotRegistered is returned for a version that the database does not have.
var ErrNotRegistered = errors.New("no such version of this projection")

// register creates the version's schema and row when they are missing, and makes it the active version when there
// is none. Several processes may do so at once.
func register(ctx context.Context, pool *pgxpool.Pool, spec Spec, input string) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `INSERT INTO strata.projection (name, version, input) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			spec.Name, spec.Version, input)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		// Of an earlier version with this number.
		if _, err := tx.Exec(ctx, `DELETE FROM strata.shard WHERE name = $1 AND version = $2`, spec.Name, spec.Version); err != nil {
			return fmt.Errorf("forget what changed in its predecessor: %w", err)
		}
		if _, err := tx.Exec(ctx, spec.DDL()); err != nil {
			return fmt.Errorf("create its tables: %w", err)
		}
		tag, err = tx.Exec(ctx, `INSERT INTO strata.active (name, version) VALUES ($1, $2) ON CONFLICT DO NOTHING`, spec.Name, spec.Version)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		for _, table := range spec.Views {
			name, table := viewOf(table)
			view := pgx.Identifier{"api", name}.Sanitize()
			if _, err := tx.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE VIEW %s AS SELECT * FROM %s`, view, pgx.Identifier{spec.Schema(), table}.Sanitize())); err != nil {
				return fmt.Errorf("create view %s: %w", view, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("register projection %s: %w", spec, err)
	}
	return nil
}

func viewOf(entry string) (view, table string) {
	if view, table, ok := strings.Cut(entry, ":"); ok {
		return view, table
	}
	return entry, entry
}

// place is where a version stands.
type place struct {
	position int64
	state    string
}

func readPlace(ctx context.Context, pool *pgxpool.Pool, spec Spec) (place, error) {
	var p place
	err := pool.QueryRow(ctx, `SELECT position, state FROM strata.projection WHERE name = $1 AND version = $2`, spec.Name, spec.Version).
		Scan(&p.position, &p.state)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fmt.Errorf("projection %s: %w", spec, ErrNotRegistered)
	}
	if err != nil {
		return p, fmt.Errorf("read where projection %s stands: %w", spec, err)
	}
	return p, nil
}

func writeState(ctx context.Context, pool *pgxpool.Pool, spec Spec, state string) error {
	_, err := pool.Exec(ctx, `UPDATE strata.projection SET state = $3, updated_at = now() WHERE name = $1 AND version = $2 AND state <> $3`,
		spec.Name, spec.Version, state)
	if err != nil {
		return fmt.Errorf("note that projection %s is %s: %w", spec, state, err)
	}
	return nil
}

func writeFailure(ctx context.Context, pool *pgxpool.Pool, spec Spec, position int64, cause error) error {
	_, err := pool.Exec(ctx, `
		UPDATE strata.projection
		SET state = 'failed', error = $3, error_position = $4, error_at = now(), updated_at = now()
		WHERE name = $1 AND version = $2`, spec.Name, spec.Version, Text(cause.Error()), position)
	if err != nil {
		return fmt.Errorf("note that projection %s failed: %w", spec, err)
	}
	return nil
}
