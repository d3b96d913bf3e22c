package register_test

import (
	"testing"
	"time"

	moves "strata/domain/commit"
	"strata/domain/hash"
	"strata/domain/schema"
	"strata/internal/testkit/eventually"
	"strata/readapi/internal/register"
)

// What a feed hands over leads to the state that a transaction reads, without a look. When something is missing in it,
// the watch looks.
func TestFeed(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 3)
	chain, balances, building := w.register("chain", 1), w.register("balances", 1), w.register("balances", 2)
	feed, pool := moves.NewFeed(), databases.New(t)
	watch, _ := run(t, register.WatchConfig{Pool: pool, Feed: feed, Interval: time.Hour, Patience: time.Hour})
	eventually.Holds(t, "the watch has looked", func() bool { return watch.State(time.Now()) != nil })
	before := looks(pool)
	compare := func(what string) {
		t.Helper()
		want := read(t, w.pool, "chain", "balances")
		eventually.Holds(t, what, func() bool { return watch.State(time.Now()).Digest == want.Digest })
		got := watch.State(time.Now())
		if got.LogSize != chain.logSeq() && got.LogSize != want.LogSize {
			t.Errorf("%s: the log has %d events, want %d or %d", what, got.LogSize, chain.logSeq(), want.LogSize)
		}
		// The log grows without the watch.
		p, q := portray(t, got), portray(t, want)
		p.rest, q.rest = "", ""
		if difference := p.differs(q); difference != "" {
			t.Errorf("%s: the watch, and a transaction: %s", what, difference)
		}
	}
	epochs := map[string][16]byte{}
	for _, v := range watch.State(time.Now()).Versions {
		epochs[v.String()] = v.Epoch
	}
	// advance lets versions move together, and returns what they tell.
	advance := func(versions ...*version) (transaction []moves.Move) {
		for _, v := range versions {
			from := v.position
			w.advance(v)
			transaction = append(transaction, moveOf(v, from, epochs[schemaName(v.name, v.number)]))
		}
		return transaction
	}
	for range 40 {
		feed.Publish(advance(chain, balances, building))
		compare("all move together")
	}
	feed.Publish(advance(chain))
	feed.Publish(advance(balances))
	compare("two move one after the other")
	if got := looks(pool); got != before {
		t.Errorf("it looked %d times", got-before)
	}

	known := advance(chain)
	feed.Publish(known)
	compare("a move")
	feed.Publish(known)
	compare("a move that is known")
	if got := looks(pool); got != before {
		t.Errorf("it looked %d times for what it knew", got-before)
	}
	advance(chain)
	feed.Publish(advance(chain))
	compare("a move before which one is missing")
	w.register("ft", 1)
	feed.Publish([]moves.Move{{Version: schema.Schema{Name: "ft", Version: 1}, To: 1}})
	compare("a version that is not known")
}

// moveOf describes the last move of a version, from a position.
func moveOf(v *version, from int, epoch [16]byte) moves.Move {
	c := v.commits[v.position-1]
	m := moves.Move{
		Version: schema.Schema{Name: v.name, Version: v.number}, Epoch: epoch, From: int64(from), To: int64(v.position), LogSeq: v.logSeq(),
		Shards: c.shards, AllShards: c.everything,
	}
	if v.position > 1 {
		m.Tip = &moves.Tip{Height: int64(v.position) * 10, BurnBlockHeight: int64(v.position) * 100, IndexBlockHash: hash.Hash32{byte(v.position)}}
		m.Tip.BlockHash = m.Tip.IndexBlockHash
		copy(m.Tip.BlockHash[:], append([]byte{1}, m.Tip.IndexBlockHash[1:]...))
	}
	return m
}
