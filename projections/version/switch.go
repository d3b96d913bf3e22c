package version

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/pause"
	"strata/projections"
	"strata/projections/internal/register"
)

// How long a switch waits for the new versions to stand where the active ones stand.
const (
	switchPatience = 10 * time.Second       // in all
	holdPatience   = 500 * time.Millisecond // while the followers of the active versions are held
)

// replacement is one projection's part of a switch.
type replacement struct {
	from register.Entry // zero: there is none
	to   register.Entry // zero: from then on, no version is active
}

// name returns the name of the projection.
func (r replacement) name() string { return cmp.Or(r.to.Name, r.from.Name) }

// planSwitch returns what has to change for these versions to become active. Where a leader changes, so do the
// projections that fold the steps of its active version: choose finds the version of each that folds the steps of the
// new leader, or the zero Entry for a projection that ceases to be active. A projection without an active version, which
// an update brought, becomes active with its leader. Versions that are active already are left out.
func planSwitch(
	es register.Entries, versions []projections.Schema,
	choose func(es register.Entries, name string, leader projections.Schema) (register.Entry, bool),
) (plan []replacement, err error) {
	chosen := map[string]register.Entry{}
	for _, v := range versions {
		e, err := es.Get(v)
		if err != nil {
			return nil, err
		}
		chosen[v.Name] = e
	}
	for _, v := range versions {
		from, ok := es.Active(v.Name)
		for _, e := range es {
			if _, named := chosen[e.Name]; !ok || named || !e.Active || e.Leader() != from.Schema || v == from.Schema {
				continue
			}
			to, found := choose(es, e.Name, v)
			switch {
			case !found:
				return nil, &InputError{Schema: projections.Schema{Name: e.Name}, Want: v.String()}
			case to.Name == "":
				plan = append(plan, replacement{from: e})
			default:
				chosen[e.Name] = to
			}
		}
		for _, e := range es {
			_, active := es.Active(e.Name)
			if _, named := chosen[e.Name]; active || named || e.Leader() != v {
				continue
			}
			if to, _ := choose(es, e.Name, v); to.Name != "" {
				chosen[e.Name] = to
			}
		}
	}
	for _, to := range chosen {
		leader := to.Leader()
		want, ok := chosen[leader.Name]
		if !ok {
			want, ok = es.Active(leader.Name)
		}
		if to.Input != register.Log && (!ok || want.Schema != leader) {
			return nil, &InputError{Schema: to.Schema, Input: to.Input, Want: want.String()}
		}
		if from, _ := es.Active(to.Name); from.Schema != to.Schema {
			plan = append(plan, replacement{from, to})
		}
	}
	// All switches lock rows in the same order.
	slices.SortFunc(plan, func(a, b replacement) int { return strings.Compare(a.name(), b.name()) })
	return plan, nil
}

// switchVersions makes versions active in one transaction, as soon as none of them is behind the one that it replaces.
func switchVersions(
	ctx context.Context, pool *pgxpool.Pool, lines projections.Lines, plan func(es register.Entries) ([]replacement, error),
) ([]Switch, error) {
	var replacements []replacement
	for deadline := time.Now().Add(switchPatience); ; pause.For(ctx, 20*time.Millisecond) {
		err := register.Change(ctx, pool, func(tx pgx.Tx, es register.Entries) (err error) {
			if replacements, err = plan(es); err != nil {
				return err
			}
			if err := waitUntilLevel(ctx, tx, replacements); err != nil {
				return err
			}
			if err := writeActive(ctx, tx, replacements); err != nil {
				return err
			}
			return register.SwitchViews(ctx, tx, viewed(lines, replacements))
		})
		var behind *BehindError
		if err != nil && (!errors.As(err, &behind) || time.Now().After(deadline)) { // or ctx has ended: then the next attempt fails
			return nil, err
		}
		if err == nil {
			break
		}
	}
	var switches []Switch
	for _, r := range replacements {
		switches = append(switches, Switch{r.name(), r.from.Version, r.to.Version})
	}
	for _, spec := range viewed(lines, replacements) {
		_ = register.TryViews(ctx, pool, spec) // if it fails, a runner tries again
	}
	return switches, nil
}

// viewed returns the specs of the versions that become active and whose views this program knows.
func viewed(lines projections.Lines, replacements []replacement) (specs []projections.Spec) {
	for _, r := range replacements {
		if d, err := lines.Definition(r.to.Name); err == nil && d.Spec.Version == r.to.Rules {
			specs = append(specs, d.Spec.At(r.to.Version))
		}
	}
	return specs
}

// waitUntilLevel holds the followers of the versions to replace for a moment, and waits until the new versions stand
// where these stand, so that no reader goes back.
func waitUntilLevel(ctx context.Context, tx pgx.Tx, replacements []replacement) error {
	deadline := time.Now().Add(holdPatience)
	for _, r := range replacements {
		if r.from.Name == "" {
			continue
		}
		began := time.Now()
		position, err := register.Hold(ctx, tx, r.from.Schema)
		if err != nil {
			return err
		}
		deadline = deadline.Add(time.Since(began)) // which may take as long as a follower is frozen
		if r.from.Input != r.to.Input {            // or it has no successor
			continue
		}
		if err := waitForPosition(ctx, tx, r.to.Schema, position, deadline); err != nil {
			return err
		}
		if r.to.Input == register.Log {
			// Its list of steps must not grow while its followers are waited for.
			if _, err := register.Hold(ctx, tx, r.to.Schema); err != nil {
				return err
			}
		}
	}
	for _, r := range replacements {
		if r.to.Name == "" || r.to.Input == register.Log || r.from.Input == r.to.Input {
			continue
		}
		head, err := register.LastStep(ctx, tx, r.to.Leader())
		if err != nil {
			return err
		}
		if err := waitForPosition(ctx, tx, r.to.Schema, head, deadline); err != nil {
			return err
		}
	}
	return nil
}

// waitForPosition waits until a version stands at a position, and returns a *BehindError at the deadline.
func waitForPosition(ctx context.Context, tx pgx.Tx, version projections.Schema, want int64, deadline time.Time) error {
	for {
		position, err := register.ReadPosition(ctx, tx, version)
		if err != nil {
			return err
		}
		if position >= want {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return &BehindError{Schema: version, Position: position, Head: want}
		}
		pause.For(ctx, 2*time.Millisecond)
	}
}

// writeActive is the switch itself.
func writeActive(ctx context.Context, tx pgx.Tx, replacements []replacement) error {
	for _, r := range replacements {
		if r.to.Name == "" {
			if _, err := tx.Exec(ctx, `DELETE FROM strata.active WHERE name = $1`, r.from.Name); err != nil {
				return fmt.Errorf("make no version of projection %s active: %w", r.from.Name, err)
			}
			continue
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO strata.active (name, version) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET version = excluded.version, previous = active.version`, r.to.Name, r.to.Version)
		if err != nil {
			return fmt.Errorf("make %s the active version: %w", r.to.Schema, err)
		}
		if err := register.NoteActivation(ctx, tx, r.to.Schema); err != nil {
			return err
		}
	}
	return nil
}
