package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrUnbuilt is returned when there is no version yet of what would be built again, or of what would be built with it: the first
// version becomes active by itself, and one that was asked for does not.
var ErrUnbuilt = errors.New("there is no version of it yet")

// RebuildOptions say what to build beside what is there.
type RebuildOptions struct {
	// Name of the projection. With a leader, all that fold its steps are built too: it writes a new list of them.
	Name string
	// To is the number that it gets; 0 for the number of its rules or, when that is taken, the one above all others.
	To int
	// Throttle is how many items each may fold in a second; nil for as many as it can. See SetThrottle.
	Throttle *int
}

// Rebuild registers further instances, with the rules of this program. Whichever process with these rules runs a Runner
// builds them, from the log alone, and follows them from then on; they are there when that is restarted, too. They become
// active on command only. ErrTaken when the number is in use, ErrUnbuilt when there is nothing to build again.
func Rebuild(ctx context.Context, pool *pgxpool.Pool, lines Lines, options RebuildOptions) (made []Instance, err error) {
	line, err := lines.of(options.Name)
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	err = changeRegister(ctx, pool, func(tx pgx.Tx, es entries) error {
		all, err := line.rebuild(es, options)
		if err != nil {
			return err
		}
		for _, w := range all {
			made = append(made, w.Instance)
		}
		return create(ctx, tx, all)
	})
	if err != nil {
		return nil, fmt.Errorf("rebuild projection %s: %w", options.Name, err)
	}
	return made, nil
}

// rebuild is what has to be made to build a projection again.
func (l Line) rebuild(es entries, options RebuildOptions) (all []wanted, err error) {
	add := func(d Definition, number int, reads string) error {
		if err := es.built(d); err != nil {
			return err
		}
		w := wanted{Instance: es.free(d, number), definition: d, reads: reads, throttle: options.Throttle, late: true}
		if number != 0 && w.Version != number {
			return fmt.Errorf("%s: %w", Instance{d.Spec.Name, number}, ErrTaken)
		}
		if !d.rebuildable && w.Version != d.Spec.Version {
			return fmt.Errorf("%s: its code folds into version %d only", w.Instance, d.Spec.Version)
		}
		all = append(all, w)
		return nil
	}
	leader := l.members[0].Definition
	if options.Name == leader.Spec.Name {
		if err := add(leader, options.To, "log"); err != nil {
			return nil, err
		}
		for _, m := range l.members[1:] {
			if err := add(m.Definition, 0, all[0].String()); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	if err := es.built(leader); err != nil {
		return nil, err
	}
	input, err := l.source(es)
	if err != nil {
		return nil, err
	}
	for _, m := range l.members[1:] {
		if m.Spec.Name == options.Name {
			err = add(m.Definition, options.To, input.String())
		}
	}
	return all, err
}

// built says that there is a version of a projection.
func (es entries) built(d Definition) error {
	if !es.has(func(e registered) bool { return e.Name == d.Spec.Name }) {
		return fmt.Errorf("projection %s: %w", d.Spec.Name, ErrUnbuilt)
	}
	return nil
}

// source is the list of steps that is folded to build a projection: the active one or, when other rules have written that, the
// newest of this program's rules.
func (l Line) source(es entries) (Instance, error) {
	leader := l.members[0].Definition
	own := es.of(leader)
	if active, ok := own.active(leader.Spec.Name); ok {
		return active.Instance, nil
	}
	if newest, ok := own.find(func(registered) bool { return true }); ok {
		return newest.Instance, nil
	}
	return Instance{}, fmt.Errorf("no version of %s has the rules of this program, number %d: rebuild %s, which brings it along", leader.Spec.Name, leader.Spec.Version, leader.Spec.Name)
}
