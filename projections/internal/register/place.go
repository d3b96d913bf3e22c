package register

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
)

// States of a version.
const (
	StateBuilding = "building"
	StateLive     = "live"
	StateFailed   = "failed"
)

// Place is where a version stands.
type Place struct {
	Position int64
	State    string
	Indexed  bool
}

// ReadPlace returns where a version stands; ErrNotRegistered when it is gone, also when a later one has its number.
func ReadPlace(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, epoch [16]byte) (Place, error) {
	var p Place
	err := pool.QueryRow(ctx, `SELECT position, state, indexed FROM strata.projection WHERE name = $1 AND version = $2 AND epoch = $3`,
		version.Name, version.Version, epoch).Scan(&p.Position, &p.State, &p.Indexed)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fmt.Errorf("projection %s: %w", version, ErrNotRegistered)
	}
	if err != nil {
		return p, fmt.Errorf("read where projection %s stands: %w", version, err)
	}
	return p, nil
}

// ReadPosition returns the position of a registered version.
func ReadPosition(ctx context.Context, q Querier, version projections.Schema) (position int64, err error) {
	err = q.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`, version.Name, version.Version).Scan(&position)
	if err != nil {
		return 0, fmt.Errorf("read where projection %s stands: %w", version, err)
	}
	return position, nil
}

// Hold keeps the follower of a version from committing until the transaction ends, and returns where the version
// stands. Readers are not affected.
func Hold(ctx context.Context, tx pgx.Tx, version projections.Schema) (position int64, err error) {
	err = tx.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2 FOR NO KEY UPDATE`, version.Name, version.Version).
		Scan(&position)
	if err != nil {
		return 0, fmt.Errorf("hold projection %s: %w", version, err)
	}
	return position, nil
}

// Unfinished reports whether the rows of a version reflect a part of the event after its position, too.
func Unfinished(ctx context.Context, q Querier, version projections.Schema) (unfinished bool, err error) {
	err = q.QueryRow(ctx, `SELECT unfinished FROM strata.projection WHERE name = $1 AND version = $2`, version.Name, version.Version).Scan(&unfinished)
	if err != nil {
		return false, fmt.Errorf("read whether projection %s is in the middle of an event: %w", version, err)
	}
	return unfinished, nil
}

// LastStep returns the number of the newest step that a version of a leader has written; 0 when there is none.
func LastStep(ctx context.Context, q Querier, leader projections.Schema) (int64, error) {
	var last int64
	if err := q.QueryRow(ctx, `SELECT coalesce(max(step), 0) FROM `+leader.Table("step")).Scan(&last); err != nil {
		return 0, fmt.Errorf("read the last step of %s: %w", leader, err)
	}
	return last, nil
}

// WriteState stores the state of a version. It changes nothing if the version is gone, also when a later one has its number.
func WriteState(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, epoch [16]byte, state string) error {
	_, err := pool.Exec(ctx, `
		UPDATE strata.projection SET state = $4, updated_at = now()
		WHERE name = $1 AND version = $2 AND epoch = $3 AND state <> $4`, version.Name, version.Version, epoch, state)
	if err != nil {
		return fmt.Errorf("note that projection %s is %s: %w", version, state, err)
	}
	return nil
}

// WriteFailure stores that a version has failed at a position, and why. Like WriteState, it never changes a successor.
func WriteFailure(ctx context.Context, pool *pgxpool.Pool, version projections.Schema, epoch [16]byte, position int64, cause error) error {
	_, err := pool.Exec(ctx, `
		UPDATE strata.projection
		SET state = 'failed', error = $4, error_position = $5, error_at = now(), updated_at = now()
		WHERE name = $1 AND version = $2 AND epoch = $3`, version.Name, version.Version, epoch, projections.Text(cause.Error()), position)
	if err != nil {
		return fmt.Errorf("note that projection %s failed: %w", version, err)
	}
	return nil
}
