package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrTaken is returned when an instance with the wanted number is there already.
var ErrTaken = errors.New("there is a version with this number already")

// shortLog is up to how many events the indexes of readers are made together with the tables: it is as quick, and whoever
// reads the first answers has them.
const shortLog = 1000

// register registers what this program's rules lack in the database. What there was nothing of at all becomes active; other
// rules than those that are there are registered to be built beside them when build says so.
func (ls Lines) register(ctx context.Context, pool *pgxpool.Pool, build bool) error {
	for _, line := range ls {
		for {
			es, err := readRegister(ctx, pool)
			if err != nil {
				return err
			}
			if len(line.missing(es, build)) == 0 { // which is so at most starts, and takes no lock to see
				break
			}
			err = changeRegister(ctx, pool, func(tx pgx.Tx, es entries) error {
				missing := line.missing(es, build)
				return create(ctx, tx, missing[:min(1, len(missing))])
			})
			if err != nil {
				return fmt.Errorf("register the line of projection %s: %w", line.members[0].Spec.Name, err)
			}
		}
	}
	return nil
}

// wanted is an instance that is not there yet.
type wanted struct {
	Instance
	definition Definition
	reads      string
	active     bool
	throttle   *int
	scratch    bool
	// late leaves the indexes of readers to the end of the build.
	late bool
}

// missing are the instances that a line lacks, the leader's first.
func (l Line) missing(es entries, build bool) (all []wanted) {
	leader := l.members[0].Definition
	leaders := es.of(leader)
	anyLeader := es.has(func(e registered) bool { return e.Name == leader.Spec.Name })
	if len(leaders) == 0 && (build || !anyLeader) {
		w := wanted{Instance: es.free(leader, 0), definition: leader, reads: "log", active: !anyLeader}
		all = append(all, w)
		leaders = append(leaders, registered{Instance: w.Instance, active: w.active})
	}
	for _, m := range l.members[1:] {
		others := es // with those that are to come: they have taken their numbers
		for _, input := range leaders {
			if others.follows(m.Definition, input.Instance) {
				continue
			}
			first := input.active && !others.has(func(e registered) bool { return e.Name == m.Spec.Name })
			if !first && !build {
				continue
			}
			w := wanted{Instance: others.free(m.Definition, 0), definition: m.Definition, reads: input.String(), active: first}
			all = append(all, w)
			others = append(others[:len(others):len(others)], registered{Instance: w.Instance, rules: m.Spec.Version, reads: w.reads})
		}
	}
	return all
}

// of are the instances that this program's code of a projection follows.
func (es entries) of(d Definition) (own entries) {
	for _, e := range es {
		if e.Name == d.Spec.Name && e.rules == d.Spec.Version {
			own = append(own, e)
		}
	}
	return own
}

// follows says whether there is an instance of these rules that folds the steps of a leader's.
func (es entries) follows(d Definition, input Instance) bool {
	return es.of(d).has(func(e registered) bool { return e.input() == input })
}

// free is an instance of a projection that is not there: the one of its rules' own number, or of the first above all others.
func (es entries) free(d Definition, number int) Instance {
	i := Instance{d.Spec.Name, number}
	if number == 0 {
		i.Version = d.Spec.Version
	}
	if !es.has(func(e registered) bool { return e.Instance == i }) {
		return i
	}
	last, _ := es.find(func(e registered) bool { return e.Name == i.Name }) // they are in order
	return Instance{i.Name, max(last.Version, d.Spec.Version) + 1}
}

// create registers instances and makes their tables.
func create(ctx context.Context, tx pgx.Tx, all []wanted) error {
	var events int64
	if err := tx.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&events); err != nil {
		return fmt.Errorf("read how long the log is: %w", err)
	}
	for _, w := range all {
		w.late = w.late || events > shortLog
		if err := w.create(ctx, tx); err != nil {
			return fmt.Errorf("register projection %s: %w", w.Instance, err)
		}
	}
	return nil
}

func (w wanted) create(ctx context.Context, tx pgx.Tx) error {
	spec := w.definition.Spec.at(w.Version)
	tables, indexes := spec.split()
	late := w.late && indexes != ""
	tag, err := tx.Exec(ctx, `
		INSERT INTO strata.projection (name, version, rules, input, throttle, indexed, scratch) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, w.Name, w.Version, w.definition.Spec.Version, w.reads, w.throttle, !late, w.scratch)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrTaken
	}
	// Of an earlier version with this number.
	for _, table := range []string{"shard", "quarantine"} {
		if _, err := tx.Exec(ctx, `DELETE FROM strata.`+table+` WHERE name = $1 AND version = $2`, w.Name, w.Version); err != nil {
			return fmt.Errorf("forget what was noted of its predecessor: %w", err)
		}
	}
	if !late {
		tables += indexes
	}
	if _, err := tx.Exec(ctx, tables); err != nil {
		return fmt.Errorf("create its tables: %w", err)
	}
	if late {
		if err := alterTables(ctx, tx, spec.instance(), whileBuilt); err != nil {
			return err
		}
	}
	if !w.active {
		return nil
	}
	tag, err = tx.Exec(ctx, `INSERT INTO strata.active (name, version) VALUES ($1, $2) ON CONFLICT DO NOTHING`, w.Name, w.Version)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return showViews(ctx, tx, spec)
}
