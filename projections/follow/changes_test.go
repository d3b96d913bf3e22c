package follow_test

import (
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// TestChanges reads what followers note for the readers of a cache, beside the rows.
func TestChanges(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil))}
	stop := rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, rig.Schema("chain", lines.Rules()["chain"]), rig.Schema("balances", balances.Version))
	for _, post := range rig.Blocks(0, 30) {
		replay.Append(t, log, post)
		replay.Wait(t, log)
	}
	stop()
	rows := `SELECT count(*) FROM strata.change JOIN strata.projection USING (epoch) WHERE name = $1`
	for _, name := range []string{"chain", "balances"} {
		if n := rig.Query[int](t, log, rows, name); n < 20 {
			t.Errorf("%s: %d of 30 blocks have noted changes", name, n)
		}
		if n := rig.Query[int](t, log, rows+` AND (change.position > projection.position OR shards = '')`, name); n != 0 {
			t.Errorf("%s: %d changes are empty, or above its position", name, n)
		}
		// Programs from before the journal take everything as changed.
		if !rig.Query[bool](t, log, `SELECT changes_to = position AND changes_from < position AND shards_from = position FROM strata.projection WHERE name = $1`, name) {
			t.Errorf("%s: readers don't know from where to where its changes are noted", name)
		}
	}

	// Blocks of many days leave a long journal, which the next runner makes short.
	rig.Execute(t, log, `
		INSERT INTO strata.change (epoch, position, shards)
		SELECT epoch, i, '\x0007' FROM strata.projection CROSS JOIN generate_series(1, 5000) i WHERE name = 'balances'
		ON CONFLICT DO NOTHING`)
	stop = rig.Follow(t, log, lines...)
	eventually.Holds(t, "there is a summary", func() bool { return rig.Query[int](t, log, `SELECT count(*) FROM strata.change_summary`) == 1 })
	stop()
	if n := rig.Query[int](t, log, rows, "balances"); n < 1 || n > 1000 {
		t.Errorf("the journal has %d rows, want some hundreds", n)
	}

	// A dropped version leaves nothing.
	built := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "balances"})
	stop = rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, built...)
	must.Get(version.Activate(t.Context(), log.Pool(), lines, built))(t)
	stop()
	must.Do(t, version.Drop(t.Context(), log.Pool(), rig.Schema("balances", balances.Version)))
	for _, table := range []string{"change", "change_summary"} {
		if n := rig.Query[int](t, log, `SELECT count(*) FROM strata.`+table+` WHERE epoch NOT IN (SELECT epoch FROM strata.projection)`); n != 0 {
			t.Errorf("%d rows of a dropped version are in strata.%s", n, table)
		}
	}
}
