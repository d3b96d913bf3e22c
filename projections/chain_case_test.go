package projections_test

import (
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestTwoBitcoinBlocksAtOneHeight folds events of an old node that returns to a fork of Bitcoin without a word and then leaves it
// again: all at once, one by one, and with a restart after each. A Stacks block brings the Bitcoin block 103a back, and 103c replaces
// it, with what it paid.
func TestTwoBitcoinBlocksAtOneHeight(t *testing.T) {
	short.Skip(t, "folds many histories")
	t.Parallel()
	coinbase := []body.Transaction{body.Account("miner").Did()}
	stacks := func(name, parent, burn string) replay.Post {
		return body.Block{Name: name, Parent: parent, Burn: burn, Old: true, Transactions: coinbase}.Post()
	}
	bitcoin := func(name string, paid uint64) replay.Post {
		return body.BurnBlock{Name: name, Old: true, Members: map[string]any{
			"reward_recipients": []any{map[string]any{"recipient": "1Recipient", "amt": paid}},
		}}.Post()
	}
	checkCuts(t, []replay.Post{
		stacks(body.Genesis, "", "1a"),
		bitcoin("101a", 1), stacks("a1", body.Genesis, "101a"), bitcoin("102a", 10), stacks("a2", "a1", "102a"),
		bitcoin("103a", 100), stacks("a3", "a2", "103a"),
		bitcoin("102b", 1000), stacks("a4", "a3", "104a"), bitcoin("103c", 10_000),
	}, "2 on 102", "10011")
}

// TestSharedTwoBitcoinBlocksAtOneHeight does the same with the events that showed the fault first.
func TestSharedTwoBitcoinBlocksAtOneHeight(t *testing.T) {
	t.Parallel()
	checkCuts(t, replay.Archive(t, "cases", "two-bitcoin-blocks-at-one-height.tsv"), "2 on 102", "1000")
}

// checkCuts folds the same events in several ways. All have the rows that the log gives, this tip on this Bitcoin height, and
// Bitcoin blocks that paid this much.
func checkCuts(t *testing.T, posts []replay.Post, tip, paid string) {
	t.Helper()
	line := func() projections.Line { return projections.Chain(rig.Chain(t), balances.New(nil), pox.New()) }
	run := func(log *eventstore.Log) (stop func()) {
		return replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, line())
	}
	for _, cut := range []struct {
		name    string
		size    int
		running bool
	}{{"at once", len(posts), false}, {"one by one", 1, true}, {"with a restart after each", 1, false}, {"two by two", 2, false}} {
		log := replay.NewLogApart(t)
		stop := func() {}
		for from := 0; from < len(posts); from += cut.size {
			replay.Append(t, log, posts[from:min(from+cut.size, len(posts))]...)
			if from == 0 || !cut.running {
				stop()
				stop = run(log)
			}
			replay.Wait(t, log)
		}
		stop()
		if wrong := rig.WrongRows(t, log, projections.Lines{line()}); len(wrong) > 0 {
			t.Errorf("%s: %q", cut.name, wrong)
		}
		if got := rig.Query[string](t, log, schemas.In(`SELECT sum(amount)::text FROM {pox}.reward`)); got != paid {
			t.Errorf("%s: Bitcoin blocks paid %s, want %s", cut.name, got, paid)
		}
		if got := rig.Query[string](t, log, schemas.In(`
			SELECT b.height || ' on ' || b.burn_block_height
			FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq ORDER BY c.height DESC LIMIT 1`)); got != tip {
			t.Errorf("%s: the tip is %s, want %s", cut.name, got, tip)
		}
	}
}
