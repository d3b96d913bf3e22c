package staking_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthstaking"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/staking"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestProjectedTimes looks at the times at which heights are expected. On mainnet, a height belongs to the difficulty period of
// the tip up to the next multiple of 2016; elsewhere no difficulty changes.
func TestProjectedTimes(t *testing.T) {
	t.Parallel()
	type bitcoinBlock struct{ height, time int64 }
	c := synthstaking.New()
	c.Height = 5
	stakes := [][]clarity.Value{ // two of them state two heights, from which the length of cycles follows
		c.RegisterSigner(stakers.Signers[0], 1), c.Stake(stakers.Stakers[0], stakers.Signers[0], 1_000_000_000, 3),
		c.Stake(stakers.Stakers[1], stakers.Signers[0], 1_000_000_000, 2),
	}
	const begin = int64(1_700_000_000)
	for _, tc := range []struct {
		name, network string
		blocks        []bitcoinBlock
		want          map[string]int64 // the expected time by cycle and point; 0 for none
	}{
		// 4,000 blocks in 2,802,000 s: the block 2,010 before the tip is too near. 963,647 ends the difficulty period of the tip.
		{"the last period", "mainnet", []bitcoinBlock{{958_000, begin}, {959_990, begin + 7}, {962_000, begin + 2_802_000}}, map[string]int64{
			"140 prepare_phase_start": begin + 2_802_000 + 35_025, "140 end": begin + 2_802_000 + 104_375, "141 start": begin + 2_802_000 + 105_075,
			"141 prepare_phase_start": begin + 2_802_000 + 1_153_724 + 503*600, "141 end": begin + 2_802_000 + 1_153_724 + 602*600, "140 start": 0, "999999999 start": 0,
		}},
		{"the last block of a period", "mainnet", []bitcoinBlock{{961_631, begin}, {963_647, begin + 2016*500}}, map[string]int64{"141 prepare_phase_start": begin + 2016*500 + 503*600}},
		{"the first block of a period", "mainnet", []bitcoinBlock{{961_632, begin}, {963_648, begin + 2016*500}}, map[string]int64{"141 prepare_phase_start": begin + 2016*500 + 502*500}},
		{"the first block known", "mainnet", []bitcoinBlock{{961_000, begin}, {962_000, begin + 900_000}}, map[string]int64{"141 start": begin + 900_000 + 150*900}},
		{"one block", "mainnet", []bitcoinBlock{{962_000, begin}}, map[string]int64{"141 start": begin + 150*600}},
		{"time that runs backwards", "mainnet", []bitcoinBlock{{961_000, begin}, {962_000, begin - 7}}, map[string]int64{"141 start": begin - 7 + 150*600}},
		{"a test network", "testnet", []bitcoinBlock{{0, 0}, {3, begin}, {5, begin + 26}}, map[string]int64{"0 start": 0, "1 start": begin + 26 + 95*13, "100 start": begin + 26 + 9995*13, "999999999 start": 0}},
	} {
		log := replay.NewLogApart(t)
		parent := ""
		for i, at := range tc.blocks {
			b := synthstaking.Block{Name: fmt.Sprint("b", i), Parent: parent, Height: int64(i), BurnHeight: at.height, Contract: synthstaking.Testnet, Members: map[string]any{"burn_block_time": at.time}}
			if i == len(tc.blocks)-1 {
				b.Prints = stakes
			}
			parent = b.Name
			replay.Append(t, log, b.Post())
		}
		replay.Run(t, log, apitest.NewChain(t), staking.New())
		s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: tc.network})
		for point, want := range tc.want {
			var cycle, name string
			must.Get(fmt.Sscan(point, &cycle, &name))(t)
			got := s.Object(base + "/cycles/" + cycle)["schedule"].(map[string]any)[name].(map[string]any)
			if want == 0 {
				check.Equal(t, tc.name+": "+point, fmt.Sprint(got["projected_time"], got["projected_time_iso"]), "<nil> <nil>")
				continue
			}
			check.Equal(t, tc.name+": "+point, fmt.Sprintf("%.f %s", got["projected_time"], got["projected_time_iso"]), fmt.Sprint(want, " ", iso(want)))
		}
	}
}

// TestBondsToCome looks at bonds that are still to be set up: a negative index names none, wherever it would start.
func TestBondsToCome(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, (&synthstaking.Block{Name: "b0", BurnHeight: 900_000, Contract: synthstaking.Testnet}).Post())
	replay.Run(t, log, apitest.NewChain(t), staking.New())
	w := &world{Site: apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "mainnet"}), names: strings.NewReplacer()}
	check.Equal[any](t, "bond 0", w.Object(base + "/bonds/0")["status"], "projected")
	w.expect(base+"/bonds/-1", 404, missing("Bond not found"))
}
