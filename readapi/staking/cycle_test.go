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

// TestCalculatedCycle looks at a finished cycle: it has the sats that its last calculation divided by, also those that left the
// bond since, and counts who could earn something.
func TestCalculatedCycle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, laterBlock{burn: 205})
	body := w.Object(base + "/cycles/1")
	locked := body["locked"].(map[string]any)
	check.Equal(t, "the cycle", fmt.Sprint(body["status"], " ", locked["stx"], locked["btc"], body["participants"]),
		"finished map[bonds:70000000000 stx_only:75000000000 total:145000000000] map[native:10000000 sbtc:20000000 total:30000000] map[signers:2 stakers:map[bonds:2 stx_only:1]]")
	locked = w.Object(base + "/cycles/current")["locked"].(map[string]any)
	check.Equal(t, "the next cycle", fmt.Sprint(locked["btc"]), "map[native:0 sbtc:20000000 total:20000000]")
}

// TestPendingKeyUpdates looks at a signer manager that registers a key for each of three sets.
func TestPendingKeyUpdates(t *testing.T) {
	t.Parallel()
	m := stakers.Signers
	w := newWorld(t,
		laterBlock{191, synthstaking.Set(2, map[byte]int64{4: 70_000_000_000, 2: 75_000_000_000}), nil},
		laterBlock{195, nil, func(c *synthstaking.Contract) [][]clarity.Value {
			return [][]clarity.Value{c.RegisterSigner(m[0], 5), c.RegisterSigner(m[0], 1), c.RegisterSigner(m[1], 5), c.RegisterSigner(m[1], 2)}
		}})
	pending := func(cycle, key int) any {
		signers := w.Object(w.names.Replace(fmt.Sprintf("%s/cycles/%d/signers?limit=1&cursor=<key%d>", base, cycle, key)))["results"].([]any)
		update := signers[0].(map[string]any)["signer_managers"].([]any)[0].(map[string]any)["pending_key_update"]
		if update == nil {
			return nil
		}
		of := update.(map[string]any)
		return fmt.Sprint(of["signer_key"], " ", of["effective_cycle"], " ", of["tx_id"])
	}
	check.Equal[any](t, "A in cycle 1", pending(1, 1), w.names.Replace("<key4> 2 <b7:0>"))
	check.Equal[any](t, "A in cycle 2", pending(2, 4), w.names.Replace("<key1> 3 <b9:1>"))
	check.Equal[any](t, "B in cycle 1, which registered nothing before the next set", pending(1, 2), nil)
	check.Equal[any](t, "B in cycle 2, which returned to its key", pending(2, 2), nil)
}

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
	for cycle, want := range map[int]string{1: "finished 4000000000000000 1", 2: "reward_phase 4000001000000000 2", 0: "finished 0 0"} {
		body := w.Object(fmt.Sprint(base, "/cycles/", cycle))
		counted := body["participants"].(map[string]any)["stakers"].(map[string]any)["stx_only"]
		check.Equal(t, fmt.Sprintf("cycle %d", cycle), fmt.Sprint(body["status"], " ", body["locked"].(map[string]any)["stx"].(map[string]any)["stx_only"], " ", counted), want)
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
