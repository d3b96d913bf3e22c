package version

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register"
)

// ErrUnbuilt is returned when there is no version yet of what would be rebuilt, or of what would be rebuilt with it.
// The first version becomes active by itself; a rebuilt one does not.
var ErrUnbuilt = errors.New("there is no version of it yet")

// RebuildOptions say what to build beside what is there.
type RebuildOptions struct {
	// Name of the projection. A leader writes a new list of steps, so the projections that fold its steps are rebuilt
	// too.
	Name string
	// To is the number of the version; 0 for the number of the rules or, when that is taken, the one above all others.
	To int
	// Throttle is the maximum of items per second for each version; nil for no limit. See SetThrottle.
	Throttle *int
}

// Rebuild registers further versions, with the rules of this program. Any process with these rules that runs a
// follow.Runner builds them, from the log alone, and follows them from then on, also after a restart. They become
// active on command only. ErrTaken when the number is in use, ErrUnbuilt when there is nothing to rebuild.
func Rebuild(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, options RebuildOptions) (created []projections.Schema, err error) {
	line, err := lines.Of(options.Name)
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	err = register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) error {
		versions, err := planRebuild(line.Definitions(), es, options)
		if err != nil {
			return err
		}
		for _, v := range versions {
			created = append(created, v.Schema)
		}
		return register.Create(ctx, tx, versions)
	})
	if err != nil {
		return nil, fmt.Errorf("rebuild projection %s: %w", options.Name, err)
	}
	return created, nil
}

// planRebuild returns the versions that a rebuild creates, the leader's first. line has the definition of the leader
// first.
func planRebuild(line []projections.Definition, es register.Entries, options RebuildOptions) (versions []register.NewVersion, err error) {
	add := func(d projections.Definition, number int, input string) error {
		if err := checkBuilt(es, d); err != nil {
			return err
		}
		v := register.NewVersion{Schema: freeVersion(es, d, number), Definition: d, Input: input, Throttle: options.Throttle, IndexLast: true}
		if number != 0 && v.Version != number {
			return fmt.Errorf("%s: %w", projections.Schema{Name: d.Spec.Name, Version: number}, ErrTaken)
		}
		if !d.Rebuildable && v.Version != d.Spec.Version {
			return fmt.Errorf("%s: its code folds into version %d only", v.Schema, d.Spec.Version)
		}
		versions = append(versions, v)
		return nil
	}
	leader := line[0]
	if options.Name == leader.Spec.Name {
		if err := add(leader, options.To, register.Log); err != nil {
			return nil, err
		}
		for _, d := range line[1:] {
			if err := add(d, 0, versions[0].String()); err != nil {
				return nil, err
			}
		}
		return versions, nil
	}
	if err := checkBuilt(es, leader); err != nil {
		return nil, err
	}
	input, err := buildInput(es, leader)
	if err != nil {
		return nil, err
	}
	for _, d := range line[1:] {
		if d.Spec.Name == options.Name {
			err = add(d, options.To, input.String())
		}
	}
	return versions, err
}

// checkBuilt returns ErrUnbuilt when there is no version of a projection.
func checkBuilt(es register.Entries, d projections.Definition) error {
	if !registered(es, d) {
		return fmt.Errorf("projection %s: %w", d.Spec.Name, ErrUnbuilt)
	}
	return nil
}

// buildInput returns the version of a leader whose steps are folded to rebuild a follower: the active one or, when
// other rules have written that, the newest with this program's rules.
func buildInput(es register.Entries, leader projections.Definition) (projections.Schema, error) {
	own := es.Of(leader)
	if active, ok := own.Active(leader.Spec.Name); ok {
		return active.Schema, nil
	}
	if newest, ok := own.Find(func(register.Entry) bool { return true }); ok {
		return newest.Schema, nil
	}
	return projections.Schema{}, fmt.Errorf("no version of %s has the rules of this program, number %d: rebuild %s, which rebuilds its followers too",
		leader.Spec.Name, leader.Spec.Version, leader.Spec.Name)
}
