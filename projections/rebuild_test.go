package projections_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	domain "strata/domain/ordinals"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/replay"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/brc20"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/mempool"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/pox"
	"strata/projections/sft"
)

// everything are all projections.
func everything(t *testing.T) projections.Lines {
	t.Helper()
	return projections.Lines{
		projections.Chain(recommended(t), balances.New(nil), mempool.New(), pox.New(), ft.New(nil), sft.New(nil), nft.New(nil)),
		projections.Feed(ordinals.New(nil), inscriptions.New(nil), brc20.New()),
	}
}

// first is the number of the instance that a fresh database begins with.
func first(projection string) int {
	switch projection {
	case chain.Name:
		return chain.Version
	case inscriptions.Name:
		return inscriptions.Version
	case balances.Name:
		return balances.Version
	case mempool.Name:
		return mempool.Version
	}
	return 1
}

// posts of a chain and of a feed, mixed.
type posts struct {
	chain *synthchain.Chain
	feed  *synthordinals.Feed
	n     int
}

func newPosts(seed uint64) *posts {
	config := synthchain.Everything(seed, synthchain.V3109)
	config.ForkProbability, config.BitcoinReorgProbability = 0.2, 0.05
	return &posts{chain: synthchain.New(config), feed: synthordinals.New(synthordinals.Everything(seed, domain.Regtest))}
}

func (p *posts) next(n int) (all []replay.Post) {
	for range n {
		if p.n++; p.n%5 == 0 {
			post := p.feed.Next()
			all = append(all, replay.Post{Path: post.Path, Body: post.Body})
		} else {
			all = append(all, replay.Post(p.chain.Next()))
		}
	}
	return all
}

func (p *posts) chainOnly(n int) (all []replay.Post) {
	for range n {
		all = append(all, replay.Post(p.chain.Next()))
	}
	return all
}

// TestRebuildEverything builds all real projections again while events come and blocks fork, with runners that stop at any
// moment, and expects the rows of the live ones; then it switches, back and forth.
func TestRebuildEverything(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	lines := everything(t)
	made := newPosts(3)
	random := rand.New(rand.NewPCG(3, 3))
	stop := follow(t, log, lines...)
	replay.Append(t, log, made.next(300)...)
	replay.Wait(t, log)
	stop()

	built := rebuild(t, log, lines, projections.RebuildOptions{Name: "chain"})
	built = append(built, rebuild(t, log, lines, projections.RebuildOptions{Name: "ordinals", To: 7})...)
	for range 8 { // each time another runner
		stop := follow(t, log, everything(t)...)
		time.Sleep(time.Duration(random.IntN(120)) * time.Millisecond)
		replay.Append(t, log, made.next(1+random.IntN(25))...)
		stop()
	}
	want := []projections.Instance{
		at("chain", chain.Version+1), at("balances", balances.Version+1), at("mempool", mempool.Version+1), at("pox", 2), at("ft", 2), at("sft", 2), at("nft", 2), at("ordinals", 7), at("inscriptions", 3), at("brc20", 2),
	}
	if !slices.Equal(built, want) {
		t.Fatalf("got %v, want %v", built, want)
	}
	lines = everything(t)
	follow(t, log, lines...)
	caughtUp(t, log, built...)
	replay.Append(t, log, made.next(30)...)
	replay.Wait(t, log)
	caughtUp(t, log, built...)
	for _, i := range built {
		for _, d := range differences(t, log, lines, i.Name, first(i.Name), i.Version) {
			t.Errorf("%s: %s", i.Name, describe(d))
			break
		}
		verified(t, log, lines, i)
		verified(t, log, lines, at(i.Name, first(i.Name)))
		s := statusAt(t, log, i)
		if s.Rows == 0 && i.Name == "chain" || s.Bytes == 0 || s.Rules != first(i.Name) || s.Active || s.Previous {
			t.Errorf("got status %+v", s)
		}
	}
	if s := statusAt(t, log, at("chain", 4)); s.Rate == nil || *s.Rate <= 0 {
		t.Errorf("the rate of the build was not measured: %+v", s)
	}
	checkJoint(t, log, lines)
	checkRows(t, log, lines)
}

func describe(d projections.Difference) string {
	text := d.Table
	for _, k := range d.Key {
		text += " " + k.Column + "=" + shown(k.Text)
	}
	for _, c := range d.Columns {
		text += fmt.Sprintf("; %s: %.200s, and %.200s", c.Column, shown(c.Old), shown(c.New))
	}
	return fmt.Sprintf("%s (missing %t, extra %t)", text, d.Missing, d.Extra)
}

func shown(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

// checkJoint expects a line to be switched as a whole or not at all.
func checkJoint(t *testing.T, log *eventstore.Log, lines projections.Lines) {
	t.Helper()
	ctx, pool := t.Context(), log.Pool()
	var input *projections.InputError
	if _, err := projections.Activate(ctx, pool, lines, []projections.Instance{at("balances", 3)}); !errors.As(err, &input) || input.Name != "balances" {
		t.Errorf("balances_v3 alone: got %v, want *InputError", err)
	}
	if _, err := projections.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, projections.ErrNoPrevious) {
		t.Errorf("roll back what was never switched: got %v", err)
	}
	oneInput := func(chain, ordinals int) {
		t.Helper()
		got := query[string](t, log, `
			SELECT string_agg(p.name || ' ' || p.version || ' ' || p.input, ', ' ORDER BY p.name) FROM strata.active JOIN strata.projection p USING (name, version)`)
		version := map[bool]int{true: 2, false: 1}
		c, o := version[chain == 4], version[ordinals == 7]
		want := fmt.Sprintf("balances %d chain_v%d, brc20 %d ordinals_v%d, chain %d log, ft %d chain_v%d, inscriptions %d ordinals_v%d, mempool %d chain_v%d, nft %d chain_v%d, ordinals %d log, pox %d chain_v%d, sft %d chain_v%d",
			c+balances.Version-1, chain, o, ordinals, chain, c, chain, o+inscriptions.Version-1, ordinals, c+mempool.Version-1, chain, c, chain, ordinals, c, chain, c, chain)
		if got != want {
			t.Errorf("active are %s, want %s", got, want)
		}
	}
	oneInput(3, 1)
	switches, err := projections.Activate(ctx, pool, lines, []projections.Instance{at("chain", 4), at("ordinals", 7)})
	if err != nil || len(switches) != 10 {
		t.Fatalf("got %v and %v, want 10 switches", switches, err)
	}
	oneInput(4, 7)
	if switches, err := projections.Activate(ctx, pool, lines, []projections.Instance{at("chain", 4)}); err != nil || len(switches) != 0 {
		t.Errorf("activate what is active: got %v and %v", switches, err)
	}
	eventually(t, "the views follow", func() bool {
		return query[bool](t, log, `SELECT bool_and(viewed = version) FROM strata.active`) &&
			query[bool](t, log, `SELECT pg_get_viewdef('api.block') LIKE '%chain_v4%' AND pg_get_viewdef('api.ft_token') LIKE '%ft_v2%'`)
	})
	for i, want := range map[projections.Instance]error{
		at("chain", 4): projections.ErrActive, at("chain", 3): projections.ErrFollowed, at("chain", 9): projections.ErrNotRegistered,
	} {
		if err := projections.Drop(ctx, pool, i); !errors.Is(err, want) {
			t.Errorf("drop %s: got %v, want %v", i, err, want)
		}
	}
	if _, err := projections.Rollback(ctx, pool, lines, "balances"); !errors.As(err, &input) {
		t.Errorf("roll back balances alone: got %v, want *InputError", err)
	}
	for _, name := range []string{"chain", "ordinals"} {
		if _, err := projections.Rollback(ctx, pool, lines, name); err != nil {
			t.Fatal(err)
		}
	}
	oneInput(3, 1)
	if s := statusAt(t, log, at("ft", 2)); !s.Previous {
		t.Errorf("ft_v2 is not what a rollback returns to: %+v", s)
	}
	for _, i := range []projections.Instance{at("sft", 2), at("nft", 2), at("balances", 3), at("mempool", mempool.Version+1), at("pox", 2), at("ft", 2), at("chain", 4)} {
		if err := projections.Drop(ctx, pool, i); err != nil {
			t.Fatal(err)
		}
	}
	if n := query[int](t, log, `SELECT count(*) FROM pg_namespace WHERE nspname IN ('chain_v4', 'balances_v3', 'ft_v2')`); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
	if _, err := projections.Rollback(ctx, pool, lines, "chain"); !errors.Is(err, projections.ErrNoPrevious) {
		t.Errorf("roll back to what was dropped: got %v", err)
	}
}

// checkRows expects VerifyRows to find nothing, and then what was changed by hand.
func checkRows(t *testing.T, log *eventstore.Log, lines projections.Lines) {
	t.Helper()
	find := func(names ...string) (all []string) {
		t.Helper()
		var done, total int64
		err := projections.VerifyRows(t.Context(), log, lines, projections.VerifyRowsOptions{
			Names: names, Progress: func(d, n int64) { done, total = d, n },
			Difference: func(name string, d projections.Difference) bool {
				all = append(all, name+"."+describe(d))
				return len(all) < 10
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if done == 0 || done != total {
			t.Errorf("the progress ended at %d of %d", done, total)
		}
		if n := query[int](t, log, `SELECT count(*) FROM strata.projection WHERE scratch`); n != 0 {
			t.Errorf("%d instances are left", n)
		}
		return all
	}
	if found := find(); len(found) != 0 {
		t.Errorf("got %v, want no difference", found)
	}
	execute(t, log, `UPDATE chain_v3.transaction SET fee = fee + 1 WHERE (source_seq, tx_index) = (SELECT source_seq, tx_index FROM chain_v3.transaction LIMIT 1)`)
	execute(t, log, `DELETE FROM inscriptions_v2.location WHERE (sat, height, tx_index) = (SELECT sat, height, tx_index FROM inscriptions_v2.location LIMIT 1)`)
	if found := find("chain", "inscriptions", "brc20"); len(found) != 2 {
		t.Errorf("got %v, want a transaction and a location", found)
	}
	execute(t, log, `UPDATE inscriptions_v2.satoshi SET inscriptions = inscriptions + 1 WHERE sat = (SELECT max(sat) FROM inscriptions_v2.satoshi)`)
	d, err := lines.Definition("inscriptions")
	if err != nil {
		t.Fatal(err)
	}
	v, err := projections.Verify(t.Context(), log.Pool(), d, at("inscriptions", inscriptions.Version))
	if err != nil || len(v.Findings) != 1 || v.Findings[0].Check != "as many inscriptions are on a satoshi as it says" {
		t.Errorf("got %+v and %v, want a finding", v, err)
	}
}
