package staking_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/internal/synth/synthstaking"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestNode folds what a real node posted on a chain of its own, which goes through all epochs up to 4.0.
func TestNode(t *testing.T) {
	t.Parallel()
	tx := rig.Begin(t)
	rig.FoldPosts(t, tx, replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz"), 40)
	one := func(query string) string { return strings.Join(rig.Texts(t, tx, query), " ") }
	for _, part := range []struct{ what, got, want string }{
		{"undecoded events", one(`SELECT count(*)::text FROM {schema}.event WHERE NOT decoded`), "0"},
		{"sets of cycles", one(`SELECT cycle || ':' || signers FROM {schema}.cycle_set ORDER BY cycle`), "1:2 2:2 3:2 4:2 5:2 6:2 7:2"},
		{"bonds", one(`SELECT concat_ws(':', bond_index, first_cycle, unlock_cycle, start_height, unlock_height, allowed, registered) FROM {schema}.bond`), "0:4:16:80:320:1:1"},
		{"calculations whose staked µSTX differ from the shares", one(`
			SELECT c.n::text FROM {schema}.calculation c
			WHERE c.staked <> coalesce((SELECT sum(shares) FROM {schema}.earning e WHERE e.n = c.n AND e.bond_index = -1), 0)`), ""},
		// From the first cycle of pox-5 on, the set has what the signer managers have.
		{"cycles whose set differs from the weights", one(`
			SELECT s.cycle::text FROM {schema}.cycle_set s
			WHERE s.cycle >= 4 AND s.staked <> (SELECT sum(staked + bonded) FROM {schema}.weight w WHERE w.signer = '' AND w.cycle <= s.cycle)`), ""},
	} {
		if part.got != part.want {
			t.Errorf("%s: got %s, want %s", part.what, part.got, part.want)
		}
	}
}

// TestVectors folds the prints of the contract itself: none is undecoded.
func TestVectors(t *testing.T) {
	t.Parallel()
	var prints []clarity.Value
	for _, row := range vector.Rows(t, "pox5_events.jsonl") {
		var print struct{ Hex string }
		must.Do(t, json.Unmarshal(row, &print))
		v := must.Get(clarity.DecodeAll(vector.Bytes(t, print.Hex)))(t)
		prints = append(prints, v)
	}
	tx := rig.Begin(t)
	rig.FoldPosts(t, tx, line(prints...), 3)
	if got := rig.Texts(t, tx, `SELECT topic FROM {schema}.event WHERE NOT decoded`); len(got) > 0 {
		t.Errorf("undecoded: %v", got)
	}
	if got := rig.Texts(t, tx, `SELECT count(DISTINCT topic)::text FROM {schema}.event`); got[0] != "19" {
		t.Errorf("got %v topics, want 19", got)
	}
}

// TestStrangePrints folds prints that the contract of today does not make. All are kept, and none stops the fold.
func TestStrangePrints(t *testing.T) {
	t.Parallel()
	staker, signer := value.Principal(synthstaking.Account("a")), value.Principal(synthstaking.Account("m")+".signer")
	stake := func(pairs ...any) clarity.Value {
		return value.Tuple(append([]any{"topic", "stake", "signer", signer, "staker", staker, "num-cycles", int64(1), "first-reward-cycle", int64(1),
			"unlock-burn-height", int64(200), "unlock-cycle", int64(2)}, pairs...)...)
	}
	tx := rig.Begin(t)
	posts := line(
		clarity.NewNone(),
		value.Tuple("topic", "from-the-future", "staker", staker),
		value.Tuple("topic", int64(1)),
		value.Tuple("topic", "stake", "signer", signer),       // fields are missing
		stake("amount-ustx", "much"),                          // another type
		stake("amount-ustx", int64(7), "pox-addr", []byte{1}), // another field more
		value.Tuple("topic", "unstake-sbtc", "staker", staker, "signer", signer, "bond-index", int64(4), "amount-withdrawn-sats", int64(1), "new-amount-sats", int64(0)), // of no known registration
		value.Tuple("topic", "bond-distribution", "bond-index", int64(4), "target-yield", int64(1), "bond-rewards", int64(1), "bond-staked-sats", int64(1),
			"accrued-rewards-per-sat", int64(1), "cumulative-rewards-per-sat", int64(1)), // without a calculation
	)
	rig.FoldPosts(t, tx, posts, 2)
	foldtest.Same(t, "events", rig.Texts(t, tx, `SELECT concat_ws(' ', n, topic, decoded, coalesce(subject, '-'), bond_index) FROM {schema}.event ORDER BY n`), []string{
		"1  f -", "2 from-the-future f -", "3  f -", "4 stake f -", "5 stake f -", fmt.Sprint("6 stake t ", staker), fmt.Sprint("7 unstake-sbtc t ", staker, " 4"), "8 bond-distribution t - 4",
	})
	foldtest.Same(t, "stakes", rig.Texts(t, tx, `SELECT concat_ws(' ', n, ustx) FROM {schema}.stake`), []string{"6 7"})
}

// line returns a chain with one print in each block.
func line(prints ...clarity.Value) (posts []replay.Post) {
	b := synthstaking.Block{Name: "genesis", BurnHeight: 3, Contract: synthstaking.Testnet}
	posts = append(posts, b.Post())
	for i, v := range prints {
		b = synthstaking.Block{
			Name: fmt.Sprint("a", i+1), Parent: b.Name, Height: int64(i + 1), BurnHeight: 3, Contract: synthstaking.Testnet, Prints: [][]clarity.Value{{v}},
		}
		posts = append(posts, b.Post())
	}
	return posts
}
