package staking_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"strata/internal/synth/synthstaking"
	"strata/internal/testkit/check"
	"strata/projections/staking"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestHistory compares answers over a random history with forks with the simulated contract, and walks all lists.
func TestHistory(t *testing.T) {
	t.Parallel()
	history := synthstaking.NewHistory(3, 500, synthstaking.Testnet)
	log := replay.NewLog(t)
	for _, post := range history.Posts {
		replay.Append(t, log, post)
	}
	replay.Run(t, log, apitest.NewChain(t), staking.New())
	w := &world{Site: apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})}
	c := history.Tip
	everybody := synthstaking.NewWorld(9, 4)
	for _, staker := range everybody.Stakers {
		w.comparePrincipal(c, staker)
	}
	var staked, bonded, sats int64
	for _, s := range c.Stakes {
		if s.Unlock > c.Cycle() {
			staked += s.USTX
		}
	}
	for at, p := range c.Positions {
		if c.Bonds[at.Bond].Unlock > c.Cycle() {
			bonded, sats = bonded+p.USTX, sats+p.Sats
		}
	}
	locked := w.Object(base)["locked"].(map[string]any)
	same(t, "all locked", fmt.Sprint(locked["stx"].(map[string]any)["stx_only"], locked["stx"].(map[string]any)["bonds"], locked["btc"].(map[string]any)["total"]),
		fmt.Sprint(fmt.Sprint(staked), fmt.Sprint(bonded), fmt.Sprint(sats)))

	lists := []string{"/bonds", "/signers", "/cycles/current/stakers", "/cycles/previous/stakers"}
	for i := range c.Bonds {
		lists = append(lists, fmt.Sprintf("/bonds/%d/allowlist", i), fmt.Sprintf("/bonds/%d/registrations", i), fmt.Sprintf("/bonds/%d/events", i))
	}
	for _, signer := range everybody.Signers {
		lists = append(lists, "/signers/"+signer+"/stakers")
	}
	for n := range byte(6) {
		lists = append(lists, fmt.Sprintf("/signer-keys/0x%x/rewards", synthstaking.Key(n+1)))
	}
	for _, list := range lists {
		w.walk(base + list)
	}
	for _, staker := range everybody.Stakers {
		w.walk("/extended/v3/principals/" + staker + "/staking/bonds")
	}
	for cycle := c.Cycle() - 3; cycle <= c.Cycle()+1; cycle++ {
		stakers := w.walk(fmt.Sprintf("%s/cycles/%d/stakers", base, cycle))
		want := 0
		for _, s := range c.Shares[cycle] {
			if s.USTX > 0 {
				want++
			}
		}
		check.Equal(t, fmt.Sprintf("cycle %d: stakers", cycle), len(stakers), want)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// comparePrincipal compares what a staker has with the simulated contract.
func (w *world) comparePrincipal(c *synthstaking.Contract, staker string) {
	w.T.Helper()
	var accrued, claimed [2]int64 // without and with a bond
	for at, amount := range c.Accrued {
		if at.Staker == staker {
			accrued[min(at.Bond+1, 1)] += amount
		}
	}
	for at, amount := range c.Claimed {
		if at.Staker == staker {
			claimed[min(at.Bond+1, 1)] += amount
		}
	}
	count, locked := 0, int64(0)
	if s, ok := c.Stakes[staker]; ok && s.Unlock > c.Cycle() {
		locked = s.USTX
	}
	for at := range c.Positions {
		if at.Staker == staker {
			count++
		}
	}
	body := w.Object("/extended/v3/principals/" + staker + "/staking")
	stx, bonds := body["stx"].(map[string]any), body["bonds"].(map[string]any)
	rewards := func(of map[string]any) string {
		r := of["rewards"].(map[string]any)["btc"].(map[string]any)
		return fmt.Sprint(r["accrued"], " ", r["claimed"], " ", r["claimable"])
	}
	got := fmt.Sprint(stx["locked"], " ", rewards(stx), " ", bonds["count"], " ", rewards(bonds))
	want := fmt.Sprint(locked, " ", accrued[0], " ", claimed[0], " ", accrued[0]-claimed[0], " ", count, " ", accrued[1], " ", claimed[1], " ", accrued[1]-claimed[1])
	check.Equal(w.T, staker, got, want)
}

// walk reads a list in pages of two, forwards and backwards, and in one page. It returns the rows.
func (w *world) walk(path string) []any {
	w.T.Helper()
	whole := w.Object(path + "?limit=50")
	all := whole["results"].([]any)
	if whole["total"].(float64) < 50 && int(whole["total"].(float64)) != len(all) {
		w.T.Errorf("%s: got %d rows and a total of %v", path, len(all), whole["total"])
	}
	all = all[:min(len(all), 21)]
	var rows, back []any
	cursor, last := "", ""
	for len(rows) < len(all) {
		page := w.Object(path + "?limit=2" + cursor)
		rows = append(rows, page["results"].([]any)...)
		last = cursor
		next := page["cursor"].(map[string]any)["next"]
		if next == nil {
			break
		}
		cursor = fmt.Sprint("&cursor=", next)
	}
	if !reflect.DeepEqual(rows[:min(len(rows), len(all))], append([]any(nil), all...)) {
		w.T.Errorf("%s: page by page %v, want %v", path, rows, all)
	}
	for cursor = last; len(all) > 0; {
		page := w.Object(path + "?limit=2" + cursor)
		back = slices.Concat(page["results"].([]any), back)
		previous := page["cursor"].(map[string]any)["previous"]
		if previous == nil {
			break
		}
		cursor = fmt.Sprint("&cursor=", previous)
	}
	if !reflect.DeepEqual(back[:min(len(back), len(rows))], rows) {
		w.T.Errorf("%s: backwards %v, want %v", path, back, rows)
	}
	return whole["results"].([]any)
}
