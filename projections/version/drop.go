package version

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// Reasons why a version is not dropped.
var (
	ErrActive   = errors.New("it is the active version")
	ErrFollowed = errors.New("other versions fold its steps: drop these first")
	ErrViewed   = errors.New("a view shows it")
)

// dropPatience bounds how long Drop waits for readers of the version.
const dropPatience = 15 * time.Second

// Drop deletes a version with its tables. It waits a while for those who still read them. It refuses the active version
// (ErrActive), one whose steps others fold (ErrFollowed), and one that views show (ErrViewed). The views in the schema
// api show another version soon after a switch; other views must be dropped by who made them.
func Drop(ctx context.Context, pool *pgxpool.Pool, version projections.Schema) error {
	for deadline := time.Now().Add(dropPatience); ; pause.For(ctx, 200*time.Millisecond) {
		err := register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) error {
			e, err := es.Get(version)
			switch {
			case err != nil:
				return err
			case e.Active:
				return ErrActive
			case es.Has(func(other register.Entry) bool { return other.Leader() == version }):
				return ErrFollowed
			}
			views, err := register.Views(ctx, tx, version.Name)
			if err != nil {
				return err
			}
			if i := slices.IndexFunc(views, func(v register.View) bool { return v.Shows == version.String() }); i >= 0 {
				return fmt.Errorf("%w: %s", ErrViewed, views[i])
			}
			return register.Remove(ctx, tx, version)
		})
		if err == nil {
			return nil
		}
		var refused *pgconn.PgError
		passing := errors.Is(err, ErrViewed) || errors.As(err, &refused) && refused.Code == "55P03" // lock_not_available
		if !passing || time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("drop projection %s: %w", version, err)
		}
	}
}
