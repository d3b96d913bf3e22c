package version_test

import (
	"sync/atomic"
	"testing"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// New rules are built beside the old ones once there is room for them.
func TestNewVersionWaitsForSpace(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, rig.Blocks(0, 20)...)
	replay.Run(t, log, rig.Chain(t), rig.NewTally(1))
	lines := projections.Lines{projections.Chain(rig.Chain(t), rig.NewTally(2))}
	var room atomic.Int64
	register := func() []string {
		t.Helper()
		return must.Get(version.Register(t.Context(), log.Pool(), lines, true, func() (int64, bool) { return room.Load(), true }))(t)
	}
	built := func() int {
		return rig.Query[int](t, log, `SELECT count(*) FROM strata.projection WHERE name = 'tally' AND version = 2`)
	}
	if postponed := register(); len(postponed) != 1 || built() != 0 {
		t.Errorf("without room: postponed %q, and registered %d versions", postponed, built())
	}
	runner := follow.NewRunner(follow.Config{Log: log, BuildNew: true, Room: func() (int64, bool) { return 0, true }}, lines...)
	if err := runner.Register(t.Context()); err != nil || runner.Postponed() == "" {
		t.Errorf("the runner says %q, %v, want what waits", runner.Postponed(), err)
	}
	waits := runner.Postponed()
	room.Store(1 << 40)
	if postponed := register(); len(postponed) != 0 || built() != 1 {
		t.Errorf("with room: postponed %q, and registered %d versions", postponed, built())
	}
	t.Logf("fault: no room for new rules: %s; with room they were registered: %d version", waits, built())
}
