package version_test

import (
	"context"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgfault"
	"strata/projections"
	"strata/projections/version"
	"strata/rig"
)

// Whichever request to the database fails, a command says so, and works the next time.
func TestNthRequest(t *testing.T) {
	t.Parallel()
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1))}
	next := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(9))}
	log, stop := rig.Folded(t, 50, lines...)
	stop()
	eventually.Holds(t, "nobody leads", func() bool { return !must.Get(version.Led(t.Context(), log.Pool()))(t) })
	tally, two := must.Get(lines.Definition("tally"))(t), rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "tally"})
	stop = rig.Follow(t, log, lines...)
	if v := must.Get(version.Verify(t.Context(), log.Pool(), tally, two[0]))(t); !v.OK() { // it waits for a version that is a bit behind
		t.Errorf("got %+v", v)
	}
	line := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "chain"})
	rig.WaitUntilLive(t, log, append(line, two...)...)
	stop()
	pool, fault := pgfault.New(t, log.Pool(), pgfault.Refused)
	failing := eventstore.Open(pool, eventstore.Config{})
	defer failing.Close()
	room := func() (int64, bool) { return 1 << 40, true }
	type command struct {
		name string
		run  func(ctx context.Context) (any, error)
		last bool // after its commit, there is only what may fail: notifications, and the views of SQL users
	}
	compare := command{"compare", func(ctx context.Context) (any, error) {
		return nil, version.Diff(ctx, pool, tally, 1, 2, func(version.Difference) bool { return true })
	}, false}
	activate := command{"activate", func(ctx context.Context) (any, error) { return version.Activate(ctx, pool, lines, two) }, true}
	rig.Execute(t, log, `UPDATE strata.projection SET position = position - 1 WHERE name = 'tally' AND version > 1`)
	for _, c := range []command{compare, activate, {"activate a line", func(ctx context.Context) (any, error) { return version.Activate(ctx, pool, lines, line[:1]) }, true}} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := c.run(ctx); err == nil {
			t.Errorf("%s: what is behind, and nobody folds, is taken", c.name)
		}
		cancel()
	}
	rig.Execute(t, log, `UPDATE strata.projection SET position = position + 1 WHERE name = 'tally' AND version > 1`)
	for _, c := range []command{
		compare,
		{"statuses", func(ctx context.Context) (any, error) { return version.Statuses(ctx, pool) }, false},
		{"estimate", func(ctx context.Context) (any, error) {
			return version.EstimateRebuild(ctx, pool, lines, version.RebuildOptions{Name: "tally"}, "")
		}, false},
		{"verify", func(ctx context.Context) (any, error) { return version.Verify(ctx, pool, tally, two[0]) }, false},
		{"check what depends on the build", func(ctx context.Context) (any, error) { return version.CheckBuildDependent(ctx, pool, tally, two[0]) }, false},
		{"wait for a build", func(ctx context.Context) (any, error) {
			return nil, version.AwaitBuilt(ctx, pool, lines, two, func(version.Status) {})
		}, false},
		activate,
		{"roll back", func(ctx context.Context) (any, error) { return version.Rollback(ctx, pool, lines, "tally") }, true},
		{"rebuild", func(ctx context.Context) (any, error) {
			return version.Rebuild(ctx, pool, lines, version.RebuildOptions{Name: "tally", To: 5})
		}, true},
		{"register", func(ctx context.Context) (any, error) { return version.Register(ctx, pool, next, true, room) }, true},
		{"wait, though one that is not active is behind", func(ctx context.Context) (any, error) {
			return nil, version.WaitUntilCaughtUp(ctx, pool, func([]version.Status) {}, 0)
		}, false},
		{"add a reader", func(ctx context.Context) (any, error) { return nil, version.AddReader(ctx, pool, "strata") }, true},
		{"skip", func(ctx context.Context) (any, error) {
			rig.Execute(t, log, `UPDATE strata.projection SET state = 'failed', error = 'e', error_position = 5 WHERE name = 'tally' AND version = 2`)
			return version.Skip(ctx, failing, "tally", 5, "a test")
		}, false},
		{"drop", func(ctx context.Context) (any, error) { return nil, version.Drop(ctx, pool, two[0]) }, true},
	} {
		for n, failed, done := 1, true, false; failed && !done; n++ {
			var err error
			_, failed, done = fault.During(n, func() { _, err = c.run(t.Context()) })
			if done = c.last && done; failed != (err != nil) && !done {
				t.Fatalf("%s: request %d fails: %t, got %v", c.name, n, failed, err)
			}
		}
	}
}
