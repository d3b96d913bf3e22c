package version

import (
	"context"
	"fmt"
	"slices"
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
		building, err := firstBuilding(ctx, pool, lines, versions)
		if err != nil || building == nil {
			return err
		}
		progress(*building)
		pause.For(ctx, awaitInterval)
		if ctx.Err() != nil {
			return fmt.Errorf("activate: projection %s is still being built, at position %d of %d: %w; a running server builds it, so try again later, or with a longer --timeout",
				building.Schema(), building.Position, building.Head, context.Cause(ctx))
		}
	}
}

// firstBuilding returns one of the versions that Activate would make active with these and that is still being built; nil
// when there is none, or when one has failed.
func firstBuilding(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, versions []projections.Schema) (*Status, error) {
	es, err := register.Read(ctx, pool)
	if err != nil {
		return nil, err
	}
	replacements, err := planSwitch(es, versions, newestOf(lines))
	if err != nil {
		return nil, fmt.Errorf("activate: %w", err)
	}
	statuses, err := StatusesWithoutSizes(ctx, pool)
	if err != nil {
		return nil, err
	}
	var building *Status
	for _, s := range statuses {
		concerned := slices.ContainsFunc(replacements, func(r replacement) bool { return r.to.Schema == s.Schema() })
		switch {
		case concerned && s.State == StateFailed:
			return nil, nil
		case concerned && s.State == StateBuilding && s.Head > 0:
			building = &s
		}
	}
	return building, nil
}

// newestOf returns a function that chooses the newest version, of the rules of this program, that folds the steps of a
// leader.
func newestOf(lines projections.Lines) func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool) {
	return func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool) {
		d, _ := lines.Definition(name)
		return es.Of(d).Find(func(e register.Entry) bool { return e.Leader() == leader })
	}
}
