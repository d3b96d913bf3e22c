package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections/internal/register"
)

// AddReader lets a role read the views in schema api and the read tables of all versions: those that are there, and those that
// are made later. Scratch versions, which strata verify builds, are not among them.
func AddReader(ctx context.Context, pool *pgxpool.Pool, role string) error {
	err := register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) error {
		return register.AddReader(ctx, tx, es, role)
	})
	if err != nil {
		return fmt.Errorf("let role %s read the tables of projections: %w", role, err)
	}
	return nil
}
