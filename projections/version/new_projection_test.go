package version_test

import (
	"slices"
	"testing"
	"time"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// TestNewProjection updates a program to one with new rules of the leader and one more projection: it becomes active with
// its leader, ceases to be active when the leader is rolled back, and becomes active again.
func TestNewProjection(t *testing.T) {
	t.Parallel()
	log, stop := rig.Folded(t, 50, projections.Chain(rig.Chain(t), rig.NewTally(1)))
	stop()
	rig.Execute(t, log, `UPDATE strata.projection SET rules = 99 WHERE name = 'chain'`) // built by other code
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(1), mempool.New())}
	replay.Follow(t, follow.Config{Log: log, BuildNew: true}, lines...)
	leader, added := rig.Schema("chain", chain.Version+1), rig.Schema(mempool.Name, mempool.Version)
	for _, v := range []projections.Schema{leader, rig.Schema("tally", 2), added} {
		waitUntilIndexed(t, log, v)
	}
	active := func() int { return must.Get(version.Active(t.Context(), log.Pool()))(t)[mempool.Name] }
	if got := active(); got != 0 {
		t.Fatalf("before the leader, version %d is active", got)
	}
	began := time.Now()
	for range 2 {
		switches := change(t, func() ([]version.Switch, error) {
			return version.Activate(t.Context(), log.Pool(), lines, []projections.Schema{leader})
		})
		if want := (version.Switch{Name: mempool.Name, From: 0, To: mempool.Version}); len(switches) != 3 || !slices.Contains(switches, want) {
			t.Errorf("activate: got %v, want %v among three", switches, want)
		}
		if got := active(); got != mempool.Version {
			t.Errorf("version %d is active, want %d", got, mempool.Version)
		}
		switches = must.Get(version.Rollback(t.Context(), log.Pool(), lines, "chain"))(t)
		if want := (version.Switch{Name: mempool.Name, From: mempool.Version, To: 0}); len(switches) != 3 || !slices.Contains(switches, want) {
			t.Errorf("roll back: got %v, want %v among three", switches, want)
		}
		if got := active(); got != 0 {
			t.Errorf("after the leader was rolled back, version %d is active", got)
		}
	}
	t.Logf("fault: an update with one projection more and new rules of its leader; both became active and were rolled back, twice in %s",
		time.Since(began).Round(time.Millisecond))
}
