package version

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections"
	"strata/projections/internal/register"
)

// Switch says that readers see another version of a projection.
type Switch struct {
	Name string `json:"name"`
	From int    `json:"from"` // 0: there was none
	To   int    `json:"to"`   // 0: there is none any more
}

// BehindError is returned for a version that has not folded what readers have already seen.
type BehindError struct {
	projections.Schema
	Position int64
	Head     int64 // where it would have to stand
}

func (e *BehindError) Error() string {
	return fmt.Sprintf("projection %s is behind: it is at position %d, and would have to be at %d", e.Schema, e.Position, e.Head)
}

// InputError is returned when the versions that would become active don't belong together.
type InputError struct {
	projections.Schema
	Input string // what it folds; empty: no version folds what it would have to
	Want  string // what it would have to fold
}

func (e *InputError) Error() string {
	if e.Input == "" {
		return fmt.Sprintf("no version of projection %s folds the steps of %s: rebuild it, so that they become active together", e.Name, e.Want)
	}
	return fmt.Sprintf("projection %s folds the steps of %s, and those of %s are the active ones: activate them together", e.Schema, e.Input, e.Want)
}

// ErrNoPrevious is returned when there is nothing to roll back to.
var ErrNoPrevious = errors.New("no earlier version of it was active, or it is gone")

// Activate makes readers see these versions from now on, all at one moment. With a leader, the newest versions that
// fold its steps become active too, unless others are named, also those of projections without an active version.
//
// It refuses a version that is still behind after a short wait (*BehindError), that Verify finds something wrong with
// (*VerifyError), that has other rules than this program (ErrRules), or that has another input than what is active then
// (*InputError). No reader is stopped, none sees less of the log than before, and Rollback returns to what was active.
func Activate(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, versions []projections.Schema) ([]Switch, error) {
	return activate(ctx, pool, lines, versions, func(register.Entries) error { return nil })
}

// activate is Activate if admit, which gets the register as it is at the moment of the switch, returns no error.
func activate(
	ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, versions []projections.Schema, admit func(register.Entries) error,
) ([]Switch, error) {
	es, err := register.Read(ctx, pool)
	if err != nil {
		return nil, err
	}
	replacements, err := planSwitch(es, versions, newestOf(lines))
	if err != nil {
		return nil, fmt.Errorf("activate: %w", err)
	}
	versions = nil // from here on those that have been verified, and no others
	for _, r := range replacements {
		d, err := lines.Definition(r.to.Name)
		if err != nil {
			return nil, fmt.Errorf("activate: %w", err)
		}
		v, err := Verify(ctx, pool, d, r.to.Schema)
		if err != nil {
			return nil, fmt.Errorf("activate: %w", err)
		}
		if !v.OK() {
			return nil, fmt.Errorf("activate: %w", &VerifyError{v})
		}
		versions = append(versions, r.to.Schema)
	}
	none := func(register.Entries, string, projections.Schema) (register.Entry, bool) {
		return register.Entry{}, false
	}
	switches, err := switchVersions(ctx, pool, lines, func(es register.Entries) ([]replacement, error) {
		if err := admit(es); err != nil {
			return nil, err
		}
		return planSwitch(es, versions, none)
	})
	if err != nil {
		return nil, fmt.Errorf("activate: %w", err)
	}
	return switches, nil
}

// Rollback makes readers see what was active before the last switch of a projection; with a leader, also of the
// projections that fold its steps. Those that had no active version then have none again. It refuses like Activate, but
// verifies nothing: the versions were active before.
func Rollback(ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, name string) ([]Switch, error) {
	previous := func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool) {
		if !es.Has(func(e register.Entry) bool { return e.Name == name && e.Previous }) {
			return register.Entry{}, true
		}
		return es.Find(func(e register.Entry) bool { return e.Name == name && e.Previous && e.Leader() == leader })
	}
	switches, err := switchVersions(ctx, pool, lines, func(es register.Entries) ([]replacement, error) {
		to, ok := es.Find(func(e register.Entry) bool { return e.Name == name && e.Previous })
		if !ok {
			return nil, fmt.Errorf("%s: %w", name, ErrNoPrevious)
		}
		return planSwitch(es, []projections.Schema{to.Schema}, previous)
	})
	if err != nil {
		return nil, fmt.Errorf("roll back projection %s: %w", name, err)
	}
	return switches, nil
}
