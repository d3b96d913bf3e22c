package accounts_test

import (
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestRebuild follows a chain with forks live, rebuilds the projection beside it, and checks that both versions have
// the same valid rows.
func TestRebuild(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	config := synthchain.Everything(4, synthchain.V3109)
	config.SigningSample, config.ForkProbability = 1000, 0.3
	generator := synthchain.New(config)
	more := func(n int) {
		for range n {
			replay.Append(t, log, generator.Next())
		}
	}
	start := func() (stop func()) {
		return replay.Follow(t, follow.Config{Log: log, Interval: 20 * time.Millisecond}, lines(t)...)
	}
	more(100)
	stop := start()
	replay.Wait(t, log)
	more(30)
	replay.Wait(t, log)
	built, err := version.Rebuild(t.Context(), log.Pool(), lines(t), version.RebuildOptions{Name: accounts.Name})
	if err != nil {
		t.Fatal(err)
	}
	more(20)
	stop()
	start()
	replay.Wait(t, log)
	definition, err := lines(t).Definition(accounts.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, instance := range []projections.Schema{{Name: accounts.Name, Version: accounts.Version}, built[0]} {
		for _, finding := range verified(t, log, definition, instance) {
			t.Errorf("%s: %s", instance, finding)
		}
	}
	err = version.Diff(t.Context(), log.Pool(), definition, accounts.Version, built[0].Version, func(d version.Difference) bool {
		t.Errorf("the two versions differ: %+v", d)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	var reverts, rows int
	if err := log.Pool().QueryRow(t.Context(), schemas.In(`
		SELECT (SELECT count(*) FROM {chain}.step WHERE kind < 0), (SELECT count(*) FROM api.account_transaction)`)).Scan(&reverts, &rows); err != nil {
		t.Fatal(err)
	}
	if reverts == 0 || rows < 100 {
		t.Errorf("the history has only %d reverts and %d rows", reverts, rows)
	}
}

func lines(t *testing.T) projections.Lines {
	t.Helper()
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	return projections.Lines{projections.Chain(c, accounts.New())}
}

func verified(t *testing.T, log *eventstore.Log, definition projections.Definition, instance projections.Schema) []version.Finding {
	t.Helper()
	v, err := version.Verify(t.Context(), log.Pool(), definition, instance)
	if err != nil {
		t.Fatal(err)
	}
	return v.Findings
}
