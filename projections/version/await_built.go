package version

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// awaitInterval is how often AwaitBuilt looks.
const awaitInterval = 250 * time.Millisecond

// AwaitBuilt waits until all versions that Activate would make active with these have been built, or one has failed, which
// Activate reports. progress is called with one that is being built. When ctx ends it says where that one stands.
func AwaitBuilt(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, versions []projections.Schema, progress func(Status)) error {
	for {
		es, err := register.Read(ctx, pool)
		if err != nil {
			return err
		}
		replacements, err := planSwitch(es, versions, newestOf(lines))
		if err != nil {
			return fmt.Errorf("activate: %w", err)
		}
		var building *Status
		for _, r := range replacements {
			s, err := readStatus(ctx, pool, r.to.Schema)
			if err != nil {
				return err
			}
			if s.State == StateFailed {
				return nil
			}
			if s.State == StateBuilding && s.Head > 0 {
				building = &s
			}
		}
		if building == nil {
			return nil
		}
		progress(*building)
		pause.For(ctx, awaitInterval)
		if ctx.Err() != nil {
			return fmt.Errorf("activate: projection %s is still being built, at position %d of %d: %w; a running server builds it, so try again later, or with a longer --timeout",
				building.Schema(), building.Position, building.Head, context.Cause(ctx))
		}
	}
}

// newestOf returns a function that chooses the newest version, of the rules of this program, that folds the steps of a
// leader.
func newestOf(lines projections.Lines) func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool) {
	return func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool) {
		d, _ := lines.Definition(name)
		return es.Of(d).Find(func(e register.Entry) bool { return e.Leader() == leader })
	}
}
