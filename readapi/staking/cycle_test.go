package staking_test

import (
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthstaking"
	"strata/internal/testkit/check"
	"strata/projections/staking"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestFinishedCycle looks at a finished cycle for which nobody has calculated rewards: the STX are those of managers at or above
// the minimum.
func TestFinishedCycle(t *testing.T) {
	t.Parallel()
	s, m := stakers.Stakers, stakers.Signers
	c := synthstaking.New()
	c.Height = 5
	prints := [][]clarity.Value{
		c.RegisterSigner(m[0], 1), c.RegisterSigner(m[1], 2), c.Stake(s[0], m[0], 4_000_000_000_000_000, 3), c.Stake(s[1], m[1], 1_000_000_000, 2),
	}
	log := replay.NewLog(t)
	parent := ""
	for i, b := range []synthstaking.Block{{BurnHeight: 3}, {BurnHeight: 5, Prints: prints}, {BurnHeight: 205}} {
		b.Name, b.Parent, b.Height, b.Contract = fmt.Sprint("b", i), parent, int64(i), synthstaking.Testnet
		parent = b.Name
		replay.Append(t, log, b.Post())
	}
	replay.Run(t, log, apitest.NewChain(t), staking.New())
	w := &world{Site: apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})}
	for cycle, want := range map[int]string{1: "finished 4000000000000000", 2: "reward_phase 4000001000000000", 0: "finished 0"} {
		body := w.Object(fmt.Sprint(base, "/cycles/", cycle))
		check.Equal(t, fmt.Sprintf("cycle %d", cycle), fmt.Sprint(body["status"], " ", body["locked"].(map[string]any)["stx"].(map[string]any)["stx_only"]), want)
	}
}

// TestRecordedCycles looks at a chain with cycles of 20 Bitcoin blocks and prepare phases of 5.
func TestRecordedCycles(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")...)
	replay.Run(t, log, apitest.NewChain(t), staking.New())
	w := &world{Site: apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})}
	for cycle, prepare := range map[int]float64{4: 95, 5: 115} {
		body := w.Object(fmt.Sprint(base, "/cycles/", cycle))
		check.Equal[any](t, fmt.Sprintf("cycle %d: the start of the prepare phase", cycle), body["schedule"].(map[string]any)["prepare_phase_start"].(map[string]any)["bitcoin_height"], prepare)
		if got := body["locked"].(map[string]any)["stx"].(map[string]any)["stx_only"]; body["status"] != "finished" || got != "4000000000000000" {
			t.Errorf("cycle %d: got %v with %v STX, want a finished one with 4000000000000000", cycle, body["status"], got)
		}
	}
	schedule := w.Object(base + "/bonds/0")["schedule"].(map[string]any)
	check.Equal[any](t, "bond 0: the end of enrolment", schedule["enrollment_cutoff"].(map[string]any)["bitcoin_height"], float64(75))
}
