package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Switch is that readers see another version.
type Switch struct {
	Name string `json:"name"`
	From int    `json:"from"` // 0: there was none
	To   int    `json:"to"`
}

// BehindError is returned for a version that has not folded what readers have seen already.
type BehindError struct {
	Instance
	Position int64
	Head     int64 // where it would have to stand
}

func (e *BehindError) Error() string {
	return fmt.Sprintf("projection %s is behind: it stands at %d, and would have to stand at %d", e.Instance, e.Position, e.Head)
}

// InputError is returned when versions would become active that don't go together.
type InputError struct {
	Instance
	Input string // what it folds; empty: there is none that folds what it would have to
	Want  string // what it would have to fold
}

func (e *InputError) Error() string {
	if e.Input == "" {
		return fmt.Sprintf("no version of projection %s folds the steps of %s: rebuild it, so that they become active together", e.Name, e.Want)
	}
	return fmt.Sprintf("projection %s folds the steps of %s, and those of %s are the active ones: activate them together", e.Instance, e.Input, e.Want)
}

// How long a switch waits for the versions to come level.
const (
	switchPatience = 10 * time.Second       // in all
	levelPatience  = 500 * time.Millisecond // while the followers of the active versions wait
)

// Activate lets readers see these versions from now on, all in one moment. A leader takes along the newest versions that fold
// its steps, where none is named. It refuses a version that is behind, after a short wait (*BehindError), that Verify finds
// something wrong with (*VerifyError), that has other rules than this program (ErrRules) or another input than what is active
// then (*InputError). No reader is ever stopped, none sees less of the log than before, and Rollback returns to what was active.
func Activate(ctx context.Context, pool *pgxpool.Pool, lines Lines, instances []Instance) ([]Switch, error) {
	newest := func(es entries, name string, input Instance) (registered, bool) {
		d, _ := lines.Definition(name)
		return es.of(d).find(func(e registered) bool { return e.input() == input })
	}
	es, err := readRegister(ctx, pool)
	if err != nil {
		return nil, err
	}
	turns, err := es.turn(instances, newest)
	if err != nil {
		return nil, fmt.Errorf("activate: %w", err)
	}
	instances = nil // those that have been verified, and no others
	for _, t := range turns {
		d, err := lines.Definition(t.to.Name)
		if err != nil {
			return nil, fmt.Errorf("activate: %w", err)
		}
		v, err := Verify(ctx, pool, d, t.to.Instance)
		if err != nil {
			return nil, fmt.Errorf("activate: %w", err)
		}
		if !v.OK() {
			return nil, fmt.Errorf("activate: %w", &VerifyError{v})
		}
		instances = append(instances, t.to.Instance)
	}
	switches, err := switchOver(ctx, pool, lines, func(es entries) ([]turn, error) {
		return es.turn(instances, func(entries, string, Instance) (registered, bool) { return registered{}, false })
	})
	if err != nil {
		return nil, fmt.Errorf("activate: %w", err)
	}
	return switches, nil
}

// Rollback lets readers see what was active before the last switch of a projection; with a leader, also of those that fold its
// steps. It refuses like Activate, but verifies nothing: it was active.
func Rollback(ctx context.Context, pool *pgxpool.Pool, lines Lines, name string) ([]Switch, error) {
	switches, err := switchOver(ctx, pool, lines, func(es entries) ([]turn, error) {
		to, ok := es.find(func(e registered) bool { return e.Name == name && e.previous })
		if !ok {
			return nil, fmt.Errorf("%s: %w", name, ErrNoPrevious)
		}
		return es.turn([]Instance{to.Instance}, func(es entries, name string, input Instance) (registered, bool) {
			return es.find(func(e registered) bool { return e.Name == name && e.previous && e.input() == input })
		})
	})
	if err != nil {
		return nil, fmt.Errorf("roll back projection %s: %w", name, err)
	}
	return switches, nil
}

// ErrNoPrevious is returned when there is nothing to return to.
var ErrNoPrevious = errors.New("no earlier version of it was active, or it is gone")

// turn is one projection's part of a switch.
type turn struct {
	from registered // zero: there is none
	to   registered
}

// turn is what has to change for these instances to become active: with what folds the steps of the old ones, for which choose
// finds what folds those of the new ones. What is active already is left out.
func (es entries) turn(instances []Instance, choose func(es entries, name string, input Instance) (registered, bool)) (turns []turn, err error) {
	chosen := map[string]registered{}
	for _, i := range instances {
		e, err := es.get(i)
		if err != nil {
			return nil, err
		}
		chosen[i.Name] = e
	}
	for _, i := range instances {
		from, ok := es.active(i.Name)
		for _, e := range es {
			if _, named := chosen[e.Name]; !ok || named || !e.active || e.input() != from.Instance || i == from.Instance {
				continue
			}
			to, found := choose(es, e.Name, i)
			if !found {
				return nil, &InputError{Instance: Instance{Name: e.Name}, Want: i.String()}
			}
			chosen[e.Name] = to
		}
	}
	for _, to := range chosen {
		input := to.input()
		want, ok := chosen[input.Name]
		if !ok {
			want, ok = es.active(input.Name)
		}
		if to.reads != "log" && (!ok || want.Instance != input) {
			return nil, &InputError{Instance: to.Instance, Input: to.reads, Want: want.String()}
		}
		if from, _ := es.active(to.Name); from.Instance != to.Instance {
			turns = append(turns, turn{from, to})
		}
	}
	// In one order for all, because rows are locked one after the other.
	slices.SortFunc(turns, func(a, b turn) int { return strings.Compare(a.to.Name, b.to.Name) })
	return turns, nil
}

// switchOver makes versions active in one transaction, as soon as none of them is behind the one it replaces.
func switchOver(ctx context.Context, pool *pgxpool.Pool, lines Lines, plan func(es entries) ([]turn, error)) ([]Switch, error) {
	var turns []turn
	for deadline := time.Now().Add(switchPatience); ; sleep(ctx, 20*time.Millisecond) {
		err := changeRegister(ctx, pool, func(tx pgx.Tx, es entries) (err error) {
			if turns, err = plan(es); err != nil {
				return err
			}
			if err := level(ctx, tx, turns); err != nil {
				return err
			}
			return point(ctx, tx, turns)
		})
		var behind *BehindError
		if err != nil && (!errors.As(err, &behind) || time.Now().After(deadline) || ctx.Err() != nil) {
			return nil, err
		}
		if err == nil {
			break
		}
	}
	var switches []Switch
	for _, t := range turns {
		switches = append(switches, Switch{t.to.Name, t.from.Version, t.to.Version})
		if d, err := lines.Definition(t.to.Name); err == nil && d.Spec.Version == t.to.rules {
			_ = tryViews(ctx, pool, d.Spec.at(t.to.Version)) // or a runner does
		}
	}
	return switches, nil
}

// level stops the followers of the versions that are to be replaced, for a moment, and waits until the new ones stand where
// these stand, so that no reader goes back.
func level(ctx context.Context, tx pgx.Tx, turns []turn) error {
	deadline := time.Now().Add(levelPatience)
	for _, t := range turns {
		if t.from.Name == "" {
			continue
		}
		stands, err := hold(ctx, tx, t.from.Instance)
		if err != nil {
			return err
		}
		if t.from.reads != t.to.reads {
			continue
		}
		if err := await(ctx, tx, t.to.Instance, stands, deadline); err != nil {
			return err
		}
		if t.to.reads == "log" {
			if _, err := hold(ctx, tx, t.to.Instance); err != nil { // so that its steps are at an end, for those that fold them
				return err
			}
		}
	}
	for _, t := range turns {
		if t.to.reads == "log" || t.from.reads == t.to.reads {
			continue
		}
		head, err := lastStep(ctx, tx, t.to.input())
		if err != nil {
			return err
		}
		if err := await(ctx, tx, t.to.Instance, head, deadline); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps the follower of an instance from committing until the transaction ends. Readers don't notice.
func hold(ctx context.Context, tx pgx.Tx, i Instance) (position int64, err error) {
	err = tx.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2 FOR NO KEY UPDATE`, i.Name, i.Version).Scan(&position)
	if err != nil {
		return 0, fmt.Errorf("hold projection %s: %w", i, err)
	}
	return position, nil
}

// await waits until an instance stands at a position.
func await(ctx context.Context, tx pgx.Tx, i Instance, position int64, deadline time.Time) error {
	for {
		var at int64
		if err := tx.QueryRow(ctx, `SELECT position FROM strata.projection WHERE name = $1 AND version = $2`, i.Name, i.Version).Scan(&at); err != nil {
			return fmt.Errorf("read where projection %s stands: %w", i, err)
		}
		if at >= position {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return &BehindError{Instance: i, Position: at, Head: position}
		}
		sleep(ctx, 2*time.Millisecond)
	}
}

// point is the switch itself.
func point(ctx context.Context, tx pgx.Tx, turns []turn) error {
	for _, t := range turns {
		_, err := tx.Exec(ctx, `
			INSERT INTO strata.active (name, version) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET version = excluded.version, previous = active.version`, t.to.Name, t.to.Version)
		if err != nil {
			return fmt.Errorf("make %s the active version: %w", t.to.Instance, err)
		}
	}
	return nil
}
