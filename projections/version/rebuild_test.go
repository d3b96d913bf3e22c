package version_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/brc20"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/mempool"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/pox"
	"strata/projections/sft"
	"strata/projections/staking"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// everything returns the lines of all projections but accounts.
func everything(t *testing.T) projections.Lines {
	t.Helper()
	return projections.Lines{
		projections.Chain(rig.Chain(t), balances.New(nil), mempool.New(), pox.New(), staking.New(), ft.New(nil), sft.New(nil), nft.New(nil)),
		projections.Feed(ordinals.New(nil), inscriptions.New(nil), brc20.New(nil)),
	}
}

// TestRebuildEverything rebuilds all projections while events come and blocks fork, with runners that stop at any
// moment, and expects the same rows as those of the live versions. Then it switches, back and forth.
func TestRebuildEverything(t *testing.T) {
	short.Skip(t, "rebuilds all tables")
	t.Parallel()
	log := replay.NewLog(t)
	lines := everything(t)
	made := rig.NewPosts(3)
	random := rand.New(rand.NewPCG(3, 3))
	stop := rig.Follow(t, log, lines...)
	replay.Append(t, log, made.Next(300)...)
	replay.Wait(t, log)
	stop()

	built := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "chain"})
	built = append(built, rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "ordinals", To: 7})...)
	folded := func() int64 {
		return rig.Query[int64](t, log, `SELECT sum(position)::bigint FROM strata.projection LEFT JOIN strata.active a USING (name, version) WHERE a.name IS NULL`)
	}
	for range 8 { // with another runner each time
		before := folded()
		stop := rig.Follow(t, log, everything(t)...)
		eventually.Holds(t, "the build progresses, or is at its end", func() bool {
			return folded() > before || !slices.ContainsFunc(built, func(v projections.Schema) bool { return rig.StatusOf(t, log, v).Lag() > 0 })
		})
		replay.Append(t, log, made.Next(1+random.IntN(25))...)
		stop()
	}
	want := []projections.Schema{
		rig.Schema("chain", chain.Version+1), rig.Schema("balances", balances.Version+1), rig.Schema("mempool", mempool.Version+1), rig.Schema("pox", pox.Version+1), rig.Schema("staking", staking.Version+1), rig.Schema("ft", ft.Version+1), rig.Schema("sft", sft.Version+1), rig.Schema("nft", nft.Version+1), rig.Schema("ordinals", 7), rig.Schema("inscriptions", inscriptions.Version+1), rig.Schema("brc20", brc20.Version+1),
	}
	if !slices.Equal(built, want) {
		t.Fatalf("got %v, want %v", built, want)
	}
	lines = everything(t)
	rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, built...)
	replay.Append(t, log, made.Next(30)...)
	replay.Wait(t, log)
	rig.WaitUntilLive(t, log, built...)
	for _, i := range built {
		for _, d := range rig.Differences(t, log, lines, i.Name, lines.Rules()[i.Name], i.Version) {
			t.Errorf("%s: %s", i.Name, rig.Describe(d))
			break
		}
		rig.CheckFit(t, log, lines, i)
		rig.CheckFit(t, log, lines, rig.Schema(i.Name, lines.Rules()[i.Name]))
		s := rig.StatusOf(t, log, i)
		if s.Rows == 0 && i.Name == "chain" || s.Bytes == 0 || s.Rules != lines.Rules()[i.Name] || s.Active || s.Previous {
			t.Errorf("got status %+v", s)
		}
	}
	if s := rig.StatusOf(t, log, rig.Schema("chain", chain.Version+1)); s.Rate == nil || *s.Rate <= 0 {
		t.Errorf("the rate of the build was not measured: %+v", s)
	}
	checkSwitchesOfLines(t, log, lines)
	checkRows(t, log, lines)
}

// checkSwitchesOfLines expects a line to be switched as a whole or not at all.
func checkSwitchesOfLines(t *testing.T, log *eventstore.Log, lines projections.Lines) {
	t.Helper()
	ctx, pool := t.Context(), log.Pool()
	var input *version.InputError
	if _, err := version.Activate(ctx, pool, lines, []projections.Schema{rig.Schema("balances", balances.Version+1)}); !errors.As(err, &input) || input.Name != "balances" {
		t.Errorf("the next balances alone: got %v, want *InputError", err)
	}
	if _, err := version.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, version.ErrNoPrevious) {
		t.Errorf("rollback without a switch before: got %v", err)
	}
	oneInput := func(chainVersion, ordinals int) {
		t.Helper()
		got := rig.Query[string](t, log, `
			SELECT string_agg(p.name || ' ' || p.version || ' ' || p.input, ', ' ORDER BY p.name) FROM strata.active JOIN strata.projection p USING (name, version)`)
		bumped := map[bool]int{true: 1, false: 0}
		c, o := bumped[chainVersion > chain.Version], bumped[ordinals == 7]
		want := fmt.Sprintf("balances %d chain_v%d, brc20 %d ordinals_v%d, chain %d log, ft %d chain_v%d, inscriptions %d ordinals_v%d, mempool %d chain_v%d, nft %d chain_v%d, ordinals %d log, pox %d chain_v%d, sft %d chain_v%d, staking %d chain_v%d",
			c+balances.Version, chainVersion, o+brc20.Version, ordinals, chainVersion, c+ft.Version, chainVersion, o+inscriptions.Version, ordinals,
			c+mempool.Version, chainVersion, c+nft.Version, chainVersion, ordinals, c+pox.Version, chainVersion, c+sft.Version, chainVersion, c+staking.Version, chainVersion)
		if got != want {
			t.Errorf("active are %s, want %s", got, want)
		}
	}
	oneInput(chain.Version, ordinals.Version)
	switches, err := version.Activate(ctx, pool, lines, []projections.Schema{rig.Schema("chain", chain.Version+1), rig.Schema("ordinals", 7)})
	if want := len(lines.Definitions()); err != nil || len(switches) != want {
		t.Fatalf("got %v and %v, want %d switches", switches, err, want)
	}
	oneInput(chain.Version+1, 7)
	if switches, err := version.Activate(ctx, pool, lines, []projections.Schema{rig.Schema("chain", chain.Version+1)}); err != nil || len(switches) != 0 {
		t.Errorf("activate what is active: got %v and %v", switches, err)
	}
	eventually.Holds(t, "the views show the new versions", func() bool {
		return rig.Query[bool](t, log, `SELECT bool_and(viewed = version) FROM strata.active`) &&
			rig.Query[bool](t, log, fmt.Sprintf(`SELECT pg_get_viewdef('api.block') LIKE '%%chain_v%d%%' AND pg_get_viewdef('api.ft_token') LIKE '%%ft_v%d%%'`, chain.Version+1, ft.Version+1))
	})
	for i, want := range map[projections.Schema]error{
		rig.Schema("chain", chain.Version+1): version.ErrActive, rig.Schema("chain", chain.Version): version.ErrFollowed, rig.Schema("chain", 9): version.ErrNotRegistered,
	} {
		if err := version.Drop(ctx, pool, i); !errors.Is(err, want) {
			t.Errorf("drop %s: got %v, want %v", i, err, want)
		}
	}
	if _, err := version.Rollback(ctx, pool, lines, "balances"); !errors.As(err, &input) {
		t.Errorf("roll back balances alone: got %v, want *InputError", err)
	}
	for _, name := range []string{"chain", "ordinals"} {
		if _, err := version.Rollback(ctx, pool, lines, name); err != nil {
			t.Fatal(err)
		}
	}
	oneInput(chain.Version, ordinals.Version)
	if s := rig.StatusOf(t, log, rig.Schema("ft", ft.Version+1)); !s.Previous {
		t.Errorf("a rollback would not return to the next ft: %+v", s)
	}
	for _, i := range []projections.Schema{rig.Schema("sft", sft.Version+1), rig.Schema("nft", nft.Version+1), rig.Schema("balances", balances.Version+1), rig.Schema("mempool", mempool.Version+1), rig.Schema("pox", pox.Version+1), rig.Schema("staking", staking.Version+1), rig.Schema("ft", ft.Version+1), rig.Schema("chain", chain.Version+1)} {
		if err := version.Drop(ctx, pool, i); err != nil {
			t.Fatal(err)
		}
	}
	if n := rig.Query[int](t, log, fmt.Sprintf(`SELECT count(*) FROM pg_namespace WHERE nspname IN ('chain_v%d', 'balances_v%d', 'ft_v%d')`, chain.Version+1, balances.Version+1, ft.Version+1)); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
	if _, err := version.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, version.ErrNoPrevious) {
		t.Errorf("rollback to a dropped version: got %v", err)
	}
}

// checkRows expects VerifyRows to find nothing at first, and then the rows that were changed by hand.
func checkRows(t *testing.T, log *eventstore.Log, lines projections.Lines) {
	t.Helper()
	find := func(names ...string) (all []string) {
		t.Helper()
		var done, total int64
		err := follow.VerifyRows(t.Context(), log, lines, follow.VerifyRowsOptions{
			Names: names, Progress: func(d, n int64) { done, total = d, n },
			Difference: func(name string, d version.Difference) bool {
				all = append(all, name+"."+rig.Describe(d))
				return len(all) < 10
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if done == 0 || done != total {
			t.Errorf("the progress ended at %d of %d", done, total)
		}
		if n := rig.Query[int](t, log, `SELECT count(*) FROM strata.projection WHERE scratch`); n != 0 {
			t.Errorf("%d scratch versions are left", n)
		}
		return all
	}
	if found := find(); len(found) != 0 {
		t.Errorf("got %v, want no difference", found)
	}
	rig.Execute(t, log, schemas.In(`UPDATE {chain}.transaction SET fee = fee + 1 WHERE (source_seq, tx_index) = (SELECT source_seq, tx_index FROM {chain}.transaction LIMIT 1)`))
	rig.Execute(t, log, schemas.In(`DELETE FROM {inscriptions}.location WHERE (sat, height, tx_index) = (SELECT sat, height, tx_index FROM {inscriptions}.location LIMIT 1)`))
	if found := find("chain", "inscriptions", "brc20"); len(found) != 2 {
		t.Errorf("got %v, want a transaction and a location", found)
	}
	rig.Execute(t, log, schemas.In(`UPDATE {inscriptions}.satoshi SET inscriptions = inscriptions + 1 WHERE sat = (SELECT max(sat) FROM {inscriptions}.satoshi)`))
	d, err := lines.Definition("inscriptions")
	if err != nil {
		t.Fatal(err)
	}
	v, err := version.Verify(t.Context(), log.Pool(), d, rig.Schema("inscriptions", inscriptions.Version))
	if err != nil || len(v.Findings) != 1 || v.Findings[0].Check != "a satoshi counts the inscriptions on it" {
		t.Errorf("got %+v and %v, want a finding", v, err)
	}
}
