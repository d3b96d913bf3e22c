package staking_test

import (
	"fmt"
	"math/big"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/projections/accounts"
	"strata/projections/staking"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestMinerRewards compares what miners of a chain through all epochs earned by cycle with their single rewards, and walks the
// list in pages of one cycle.
func TestMinerRewards(t *testing.T) {
	t.Parallel()
	config := synthchain.AllEpochs(5)
	config.SigningSample = 1000
	made := synthchain.New(config)
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Take(700, made.Next)...)
	replay.Run(t, log, apitest.NewChain(t), accounts.New(), staking.New())
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})
	clock := made.Expected().Staking.Clock
	amount := func(text any) *big.Int {
		n, ok := new(big.Int).SetString(text.(string), 10)
		if !ok {
			t.Fatalf("%v is no amount", text)
		}
		return n
	}
	cycles := 0
	for _, miner := range made.Accounts()[:5] { // the last of them does not mine
		type sum struct {
			count  int64
			amount *big.Int
		}
		want := map[int64]*sum{}
		var order []int64
		for next := "/extended/v3/principals/" + miner + "/mining/rewards?limit=50"; next != ""; {
			list := s.Object(next)
			for _, r := range list["results"].([]any) {
				reward := r.(map[string]any)
				height := int64(reward["block"].(map[string]any)["bitcoin_block"].(map[string]any)["height"].(float64))
				cycle := (height - clock.FirstHeight) / clock.CycleLength
				if want[cycle] == nil {
					want[cycle] = &sum{amount: new(big.Int)}
					order = append(order, cycle)
				}
				want[cycle].count++
				want[cycle].amount.Add(want[cycle].amount, amount(reward["total"]))
			}
			next = ""
			if cursor, ok := list["cursor"].(map[string]any)["next"].(string); ok {
				next = "/extended/v3/principals/" + miner + "/mining/rewards?limit=50&cursor=" + cursor
			}
		}
		var expected []string
		for _, cycle := range order {
			expected = append(expected, fmt.Sprint(cycle, " ", want[cycle].count, " ", want[cycle].amount))
		}
		cycles += len(expected)
		for _, limit := range []int{1, 4, 50} {
			var got []string
			for path := ""; ; {
				list := s.Object(fmt.Sprintf("%s/miners/%s/rewards?limit=%d%s", base, miner, limit, path))
				for _, r := range list["results"].([]any) {
					row := r.(map[string]any)
					stx := row["rewards"].(map[string]any)["stx"].(map[string]any)
					if sum := new(big.Int).Add(amount(stx["coinbase"]), amount(stx["fees"])); sum.Cmp(amount(stx["total"])) != 0 {
						t.Errorf("%v: the total is not %s", stx, sum)
					}
					got = append(got, fmt.Sprint(int64(row["cycle"].(float64)), " ", int64(stx["count"].(float64)), " ", stx["total"]))
				}
				cursor, ok := list["cursor"].(map[string]any)["next"].(string)
				if !ok {
					break
				}
				path = "&cursor=" + cursor
			}
			check.Equal(t, fmt.Sprintf("cycles of %s, in pages of %d", miner, limit), fmt.Sprint(got), fmt.Sprint(expected))
		}
	}
	if cycles < 20 {
		t.Errorf("the miners were paid in %d cycles, want at least 20 to compare", cycles)
	}
}
