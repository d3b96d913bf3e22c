package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// SetThrottle limits how many items per second a version folds, from about a second later on; nil for no limit.
// ErrNotRegistered when there is no such version.
func SetThrottle(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, perSecond *int) error {
	tag, err := pool.Exec(ctx, `UPDATE strata.projection SET throttle = $3 WHERE name = $1 AND version = $2 AND NOT scratch`,
		version.Name, version.Version, perSecond)
	if err != nil {
		return fmt.Errorf("throttle projection %s: %w", version, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("throttle projection %s: %w", version, ErrNotRegistered)
	}
	return nil
}

// Resume lets the failed versions of a projection try again.
func Resume(ctx context.Context, pool *pgxpool.Pool, name string) error {
	tag, err := pool.Exec(ctx, `UPDATE strata.projection SET state = 'building', updated_at = now() WHERE name = $1 AND state = 'failed'`, name)
	if err != nil {
		return fmt.Errorf("resume projection %s: %w", name, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("resume projection %s: no version of it has failed", name)
	}
	return nil
}
