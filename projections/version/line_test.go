package version_test

import (
	"errors"
	"fmt"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/inscriptions"
	"strata/projections/ordinals"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestLines switches lines as a whole or not at all, back and forth, and drops what it has built. The log gives the rows that there are.
func TestLines(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), replay.NewLog(t)
	pool := log.Pool()
	lines := projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil)), projections.Feed(ordinals.New(nil), inscriptions.New(nil))}
	replay.Append(t, log, rig.NewPosts(3).Next(150)...)
	rig.Follow(t, log, lines...)
	replay.Wait(t, log)
	next := map[string]projections.Schema{"ordinals": rig.Schema("ordinals", 7)}
	for _, name := range []string{"chain", "balances", "inscriptions"} {
		next[name] = rig.Schema(name, lines.Rules()[name]+1)
	}
	built := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "chain"})
	built = append(built, rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "ordinals", To: 7})...)
	rig.WaitUntilLive(t, log, built...)
	active := func(built bool) {
		t.Helper()
		all := must.Get(version.Active(ctx, pool))(t)
		for name, v := range next {
			if want := map[bool]int{false: lines.Rules()[name], true: v.Version}[built]; all[name] != want {
				t.Errorf("version %d of %s is active, want %d", all[name], name, want)
			}
		}
	}
	var input *version.InputError
	if _, err := version.Activate(ctx, pool, lines, []projections.Schema{next["balances"]}); !errors.As(err, &input) || input.Name != "balances" {
		t.Errorf("the next balances alone: got %v, want *InputError", err)
	}
	if _, err := version.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, version.ErrNoPrevious) {
		t.Errorf("rollback without a switch before: got %v", err)
	}
	active(false)
	if switches, err := version.Activate(ctx, pool, lines, []projections.Schema{next["chain"], next["ordinals"]}); err != nil || len(switches) != len(next) {
		t.Fatalf("got %v and %v, want %d switches", switches, err, len(next))
	}
	active(true)
	if switches, err := version.Activate(ctx, pool, lines, []projections.Schema{next["chain"]}); err != nil || len(switches) != 0 {
		t.Errorf("activate what is active: got %v and %v", switches, err)
	}
	eventually.Holds(t, "the views show the new versions", func() bool {
		return rig.Query[bool](t, log, `SELECT bool_and(viewed = version) FROM strata.active`) &&
			rig.Query[bool](t, log, fmt.Sprintf(`SELECT pg_get_viewdef('api.block') LIKE '%%%s%%'`, next["chain"]))
	})
	drop := func(v projections.Schema, want error) {
		t.Helper()
		if err := version.Drop(ctx, pool, v); !errors.Is(err, want) {
			t.Errorf("drop %s: got %v, want %v", v, err, want)
		}
	}
	drop(next["chain"], version.ErrActive)
	drop(rig.Schema("chain", chain.Version), version.ErrFollowed)
	drop(rig.Schema("chain", 9), version.ErrNotRegistered)
	if _, err := version.Rollback(ctx, pool, lines, "balances"); !errors.As(err, &input) {
		t.Errorf("roll back balances alone: got %v, want *InputError", err)
	}
	for _, name := range []string{"chain", "ordinals"} {
		must.Get(version.Rollback(ctx, pool, lines, name))(t)
	}
	active(false)
	if s := rig.StatusOf(t, log, next["balances"]); !s.Previous {
		t.Errorf("a rollback would not return to the next balances: %+v", s)
	}
	drop(next["balances"], nil)
	drop(next["chain"], nil)
	if rig.Query[bool](t, log, `SELECT to_regnamespace($1) IS NOT NULL OR to_regnamespace($2) IS NOT NULL`, next["chain"].String(), next["balances"].String()) {
		t.Error("schemas are left")
	}
	if _, err := version.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, version.ErrNoPrevious) {
		t.Errorf("rollback to a dropped version: got %v", err)
	}
	if wrong := rig.WrongRows(t, log, lines); len(wrong) > 0 {
		t.Errorf("the log gives other rows: %q", wrong)
	}
	rig.Execute(t, log, schemas.In(`UPDATE {inscriptions}.satoshi SET inscriptions = inscriptions + 1 WHERE sat = (SELECT max(sat) FROM {inscriptions}.satoshi)`))
	v := must.Get(version.Verify(ctx, pool, must.Get(lines.Definition("inscriptions"))(t), rig.Schema("inscriptions", inscriptions.Version)))(t)
	if len(v.Findings) != 1 || v.Findings[0].Check != "a satoshi counts the inscriptions on it" {
		t.Errorf("got %+v, want a finding", v)
	}
}
