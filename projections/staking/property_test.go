package staking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/internal/synth/synthstaking"
	"strata/internal/testkit/short"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestHistories folds random histories with forks in batches of random sizes. It compares the rows with the simulated
// contract, and with a replay of the canonical chain alone.
func TestHistories(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](6, 2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			history := synthstaking.NewHistory(seed, 450, synthstaking.Testnet)
			rig.History(t, history.Posts, rand.New(rand.NewPCG(seed, 1)), 30, func(tx pgx.Tx) []replay.Post {
				compare(t, tx, history.Tip)
				return history.Canonical
			})
		})
	}
}

// accruedSQL selects what stakers have earned, by bond.
const accruedSQL = `
	SELECT concat_ws(' ', staker, bond_index, sum(amount)) FROM (
		SELECT g.staker, g.bond_index, div(g.shares * d.per_sat, 1000000000000000000) AS amount
		FROM {schema}.share g JOIN {schema}.distribution d ON d.bond_index = g.bond_index AND d.cycle >= g.from_cycle AND d.cycle < g.to_cycle
			AND d.n > g.n AND (g.until_n IS NULL OR d.n < g.until_n)
		UNION ALL
		SELECT g.staker, g.bond_index, div(g.shares * c.per_ustx, 1000000000000000000)
		FROM {schema}.share g JOIN {schema}.calculation c ON g.bond_index = -1 AND c.cycle >= g.from_cycle AND c.cycle < g.to_cycle
			AND c.n > g.n AND (g.until_n IS NULL OR c.n < g.until_n)
		WHERE EXISTS (SELECT FROM {schema}.earning e WHERE e.n = c.n AND e.signer = g.signer)
	) r GROUP BY staker, bond_index HAVING sum(amount) > 0 ORDER BY 1`

// compare compares the rows with the simulated contract.
func compare(t testing.TB, tx pgx.Tx, c *synthstaking.Contract) {
	t.Helper()
	lists := map[string][]string{}
	line := func(list string, values ...any) { lists[list] = append(lists[list], fmt.Sprintln(values...)) }
	for at, amount := range c.Accrued {
		if amount > 0 {
			line("accrued", at.Staker, at.Bond, amount)
		}
	}
	for at, amount := range c.Claimed {
		line("claimed", at.Staker, at.Bond, amount)
	}
	for staker, s := range c.Stakes {
		line("stakes", staker, s.Signer, s.USTX, s.First, s.Unlock, c.Clock.Start(s.Unlock))
	}
	statuses := map[string]int{synthstaking.Enrolled: 1, synthstaking.EarlyExit: 2, synthstaking.RolledOver: 3}
	for at, p := range c.Positions {
		line("positions", at.Staker, at.Bond, p.Signer, statuses[p.Status], p.USTX, p.Sats, p.L1)
	}
	for cycle, shares := range c.Shares {
		for at, s := range shares {
			if s.Shares > 0 || s.USTX > 0 {
				line("shares", cycle, at.Staker, at.Bond, s.Signer, s.Shares, s.USTX)
			}
		}
	}
	for _, b := range c.Bonds {
		registered, l1, l2, ustx, capacity := 0, int64(0), int64(0), int64(0), int64(0)
		for at, p := range c.Positions {
			if at.Bond != b.Index {
				continue
			}
			registered++
			ustx += p.USTX
			if p.L1 {
				l1 += p.Sats
			} else {
				l2 += p.Sats
			}
		}
		for _, sats := range b.Allowed {
			capacity += sats
		}
		line("bonds", b.Index, b.Start, b.Unlock, len(b.Allowed), registered, capacity, l1, l2, ustx, b.Distributed, b.Accrued, b.Claimed)
	}
	for signer, key := range c.Keys {
		line("keys", signer, key)
	}
	for signer, keys := range c.Grants {
		for key, auth := range keys {
			line("grants", signer, key, auth)
		}
	}
	for _, list := range []struct{ name, query string }{
		{"accrued", accruedSQL},
		{"claimed", `SELECT concat_ws(' ', staker, bond_index, sum(amount)) FROM {schema}.staker_claim GROUP BY staker, bond_index`},
		{"stakes", `SELECT concat_ws(' ', staker, signer, ustx, first_cycle, unlock_cycle, unlock_height) FROM {schema}.stake WHERE until_n IS NULL`},
		{"positions", `SELECT concat_ws(' ', staker, bond_index, signer, status, ustx, sats, l1::text) FROM {schema}.registration WHERE until_n IS NULL`},
		{"shares", `SELECT concat_ws(' ', cycle, staker, bond_index, signer, shares, ustx) FROM {schema}.share, generate_series(from_cycle, to_cycle - 1) cycle WHERE until_n IS NULL`},
		{"bonds", `SELECT concat_ws(' ', bond_index, first_cycle, unlock_cycle, allowed, registered, capacity, l1_sats, l2_sats, ustx, distributed, accrued, claimed) FROM {schema}.bond`},
		{"keys", `SELECT concat_ws(' ', signer, encode(signer_key, 'hex')) FROM {schema}.signer_key WHERE until_n IS NULL`},
		{"grants", `SELECT concat_ws(' ', signer, encode(signer_key, 'hex'), max(auth_id)) FROM {schema}.key_grant WHERE until_n IS NULL GROUP BY signer, signer_key`},
	} {
		want := lists[list.name]
		for i := range want {
			want[i] = want[i][:len(want[i])-1]
		}
		if len(want) == 0 {
			t.Errorf("the history has no %s", list.name)
		}
		slices.Sort(want)
		got := rig.Texts(t, tx, list.query)
		slices.Sort(got)
		foldtest.Same(t, list.name, got, want)
	}
	if got := rig.Texts(t, tx, `SELECT count(*)::text FROM {schema}.event WHERE decoded`); got[0] != fmt.Sprint(c.Events) {
		t.Errorf("got %s decoded events, want %d", got[0], c.Events)
	}
	topics := rig.Texts(t, tx, `SELECT DISTINCT topic FROM {schema}.event`)
	want := []string{
		"add-to-allowlist", "announce-l1-early-exit", "bond-distribution", "calculate-rewards", "claim-rewards", "claim-staker-rewards-for-signer", "grant-signer-key",
		"register-for-bond", "register-signer", "revoke-signer-grant", "setup-bond", "stake", "stake-update", "unstake", "unstake-sbtc", "update-bond-registration",
	}
	slices.Sort(topics)
	foldtest.Same(t, "topics", topics, want)
	if wrong := rig.Texts(t, tx, `
		SELECT concat_ws(' ', c.n, c.staked, e.shares) FROM {schema}.calculation c
		LEFT JOIN (SELECT n, sum(shares) AS shares FROM {schema}.earning WHERE bond_index = -1 GROUP BY n) e USING (n)
		WHERE c.staked <> coalesce(e.shares, 0)`); len(wrong) > 0 {
		t.Errorf("calculations divide by other sums than those of the shares: %v", wrong)
	}
}
