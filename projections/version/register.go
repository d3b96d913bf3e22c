package version

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register"
)

// Errors of the register.
var (
	// ErrNotRegistered is returned for a version that the database does not have.
	ErrNotRegistered = register.ErrNotRegistered
	// ErrTaken is returned when there is a version with the wanted number already.
	ErrTaken = register.ErrTaken
)

// Room returns how many bytes may be used for versions that are built beside others; known is false when nobody knows.
type Room = func() (bytes int64, known bool)

// Register registers the versions that this program's rules lack in the database. The first version of a projection
// becomes active. Versions with other rules than those that are there are registered only if buildNew is set, to be
// built beside them, and only if there is room for as much as the active ones take: otherwise postponed says what is missing.
// room may be nil.
func Register(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, buildNew bool, room Room) (postponed []string, err error) {
	for _, line := range lines {
		definitions, buildNew := line.Definitions(), buildNew
		for {
			es, err := register.Read(ctx, pool)
			if err != nil {
				return nil, err
			}
			versions := missing(definitions, es, buildNew)
			if len(versions) == 0 { // at most starts: then no lock is taken
				break
			}
			if reason, err := lacksRoom(ctx, pool, es, versions, room); err != nil {
				return nil, err
			} else if reason != "" && buildNew {
				postponed, buildNew = append(postponed, reason), false
				continue
			}
			err = register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) error {
				versions := missing(definitions, es, buildNew)
				return register.Create(ctx, tx, versions[:min(1, len(versions))])
			})
			if err != nil {
				return nil, fmt.Errorf("register the line of projection %s: %w", line.Name(), err)
			}
		}
	}
	return postponed, nil
}

// lacksRoom returns why versions can't be built beside the active ones; empty if they can.
func lacksRoom(ctx context.Context, pool *pgxpool.Pool, es register.Entries, versions []register.NewVersion, room Room) (string, error) {
	if room == nil {
		return "", nil
	}
	var needed int64
	for _, v := range versions {
		active, ok := es.Active(v.Name)
		if v.Active || !ok {
			continue
		}
		_, bytes, err := measure(ctx, pool, active.Schema)
		if err != nil {
			return "", err
		}
		needed += bytes
	}
	free, known := room()
	if !known || needed <= free {
		return "", nil
	}
	const mb = 1 << 20
	return fmt.Sprintf("version %d of %s, and what follows it, is not built: it needs about %d MB, and there is room for %d MB",
		versions[0].Version, versions[0].Name, needed/mb, free/mb), nil
}

// missing returns the versions that a line lacks, the leader's first. line has the definition of the leader first.
func missing(line []projections.Definition, es register.Entries, buildNew bool) (all []register.NewVersion) {
	leader := line[0]
	leaders := es.Of(leader)
	anyLeader := registered(es, leader)
	if len(leaders) == 0 && (buildNew || !anyLeader) {
		v := register.NewVersion{Schema: freeVersion(es, leader, 0), Definition: leader, Input: register.Log, Active: !anyLeader, Automatic: true}
		all = append(all, v)
		leaders = append(leaders, register.Entry{Schema: v.Schema, Active: v.Active, Automatic: true})
	}
	for _, d := range line[1:] {
		others := es // with the versions to come, whose numbers are taken
		for _, input := range leaders {
			if follows(others, d, input.Schema) {
				continue
			}
			first := input.Active && !registered(others, d)
			if !first && !buildNew {
				continue
			}
			v := register.NewVersion{Schema: freeVersion(others, d, 0), Definition: d, Input: input.String(), Active: first}
			v.Automatic = input.Active || input.Automatic
			all = append(all, v)
			others = append(others[:len(others):len(others)], register.Entry{Schema: v.Schema, Rules: d.Spec.Version, Input: v.Input})
		}
	}
	return all
}

// registered reports whether there is any version of a projection.
func registered(es register.Entries, d projections.Definition) bool {
	return es.Has(func(e register.Entry) bool { return e.Name == d.Spec.Name })
}

// follows reports whether a version with these rules folds the steps of leader.
func follows(es register.Entries, d projections.Definition, leader projections.Schema) bool {
	return es.Of(d).Has(func(e register.Entry) bool { return e.Leader() == leader })
}

// freeVersion returns a version of a projection that is not there: the one with this number (0 for the number of the
// rules) or, when that is taken, the one above all others.
func freeVersion(es register.Entries, d projections.Definition, number int) projections.Schema {
	v := projections.Schema{Name: d.Spec.Name, Version: number}
	if number == 0 {
		v.Version = d.Spec.Version
	}
	if !es.Has(func(e register.Entry) bool { return e.Schema == v }) {
		return v
	}
	newest, _ := es.Find(func(e register.Entry) bool { return e.Name == v.Name })
	v.Version = max(newest.Version, d.Spec.Version) + 1
	return v
}
