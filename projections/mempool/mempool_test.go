package mempool_test

import (
	"slices"
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/shard"
	"strata/domain/transaction"
	"strata/projections"
	"strata/rig/replay"
	"strata/rig/schemas"
)

const start = 1_700_000_000

// nakamoto returns the place of a Nakamoto block at a height, some minutes after the start.
func nakamoto(height, minutes uint64) place {
	return place{height: height, burn: 1000 + minutes/10, time: start + minutes*60}
}

// TestLifeCycle follows transactions from each way into the mempool to each way out of it.
func TestLifeCycle(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	a1, dear, late := send(alice, 1, 100), send(alice, 1, 200), send(alice, 2, 100)
	paid := announced(bob.Sponsor(7, alice, 1, 150, &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 1}))
	for _, c := range []struct {
		name string
		do   func(w *world)
	}{
		{"with a sponsor that is the sender, and another nonce", func(w *world) {
			own := announced(bob.Sponsor(7, bob, 9, 150, &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 1}))
			w.announce(start, own)
			w.apply(nakamoto(2, 1), own)
			w.want("mined", own, "mined")
			w.revert()
			w.want("the block is orphaned", own, "pending")
		}},
		{"mined and back", func(w *world) {
			w.announce(start, a1)
			w.want("announced", a1, "pending")
			w.apply(nakamoto(2, 1), a1)
			w.want("mined", a1, "mined")
			w.drop(nodeevent.DropStaleGarbageCollect, nil, a1)
			w.want("a node drops what is mined", a1, "mined")
			w.announce(start, a1)
			w.want("a node announces what is mined", a1, "mined")
			w.revert()
			w.want("the block is orphaned", a1, "pending")
		}},
		{"announced after it was mined", func(w *world) {
			w.apply(nakamoto(2, 1), a1)
			w.announce(start, a1)
			w.want("announced", a1, "mined")
			w.revert()
			w.want("the block is orphaned", a1, "pending")
		}},
		{"another is mined with the nonce", func(w *world) {
			w.announce(start, a1, late)
			w.apply(nakamoto(2, 1), dear)
			w.want("of the sender", a1, "dropped_replace_by_fee", dear)
			w.want("another nonce", late, "pending")
			w.revert()
			w.want("the block is orphaned", a1, "pending")
			w.apply(nakamoto(2, 2), paid)
			w.want("as a sponsor's", a1, "dropped_replace_by_fee", paid)
			w.announce(start, dear)
			w.want("announced with a used nonce", dear, "dropped_replace_by_fee", paid)
		}},
		{"a sponsor's nonce is used", func(w *world) {
			w.announce(start, paid)
			w.apply(nakamoto(2, 1), a1)
			w.want("by its sponsor alone", paid, "dropped_replace_by_fee", a1)
		}},
		{"replaced before the other is announced", func(w *world) {
			w.announce(start, a1)
			w.drop(nodeevent.DropReplaceByFee, &dear, a1)
			w.want("replaced", a1, "dropped_replace_by_fee", dear)
			w.announce(start, dear)
			w.want("the other", dear, "pending")
			w.announce(start, a1)
			w.want("announced again", a1, "pending")
		}},
		{"reasons", func(w *world) {
			w.drop(nodeevent.DropProblematic, nil, a1)
			w.want("never announced", a1, "")
			w.announce(start, a1)
			for reason, status := range map[nodeevent.DropReason]string{
				nodeevent.DropReplaceAcrossFork: "dropped_replace_across_fork", nodeevent.DropTooExpensive: "dropped_too_expensive",
				nodeevent.DropProblematic: "dropped_problematic", nodeevent.DropStaleGarbageCollect: "dropped_stale_garbage_collect",
			} {
				w.drop(reason, nil, a1)
				w.want(string(reason), a1, status)
			}
			w.announce(start, a1)
			w.drop("SomethingNew", nil, a1)
			w.want("a reason that nobody knows", a1, "dropped")
			if got := w.texts(schemas.In(`SELECT dropped_status FROM {mempool}.transaction`)); !slices.Equal(got, []string{"SomethingNew"}) {
				t.Errorf("got the reason %q, want it as it came", got)
			}
			w.drop("dropped_\x00", nil, a1)
			w.want("one that looks like a status", a1, "dropped")
			w.drop("", nil, a1)
			w.want("no reason", a1, "dropped")
			w.announce(start, a1)
			w.want("announced again", a1, "pending")
		}},
		{"too old, by time", func(w *world) {
			w.announce(start, a1)
			w.apply(nakamoto(2, 2560))
			w.want("not yet", a1, "pending")
			w.apply(nakamoto(3, 2561))
			w.want("a minute later", a1, "dropped_stale_garbage_collect")
			w.revert()
			w.want("the block is orphaned", a1, "pending")
			w.apply(nakamoto(3, 2600))
			w.announce(start+2600*60, a1)
			w.want("announced again", a1, "pending")
			w.revert()
			w.want("the revert changes nothing", a1, "pending")
		}},
		{"too old, by blocks", func(w *world) {
			w.announce(start, a1) // at block 1
			w.apply(place{height: 257, burn: 1001, time: start + 1<<30, old: true})
			w.want("not yet", a1, "pending")
			w.apply(place{height: 258, burn: 1001, time: start + 1<<30, old: true})
			w.want("a block later", a1, "dropped_stale_garbage_collect")
		}},
		{"forgotten", func(w *world) {
			w.announce(start, a1)
			w.apply(nakamoto(2, 10), a1)
			w.apply(nakamoto(3, 2570))
			w.want("256 Bitcoin blocks later", a1, "mined")
			w.apply(nakamoto(4, 2580))
			w.want("one more", a1, "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, replay.Begin(t, pool))
			w.apply(nakamoto(1, 0))
			c.do(w)
		})
	}
}

// TestTouched checks which shards each step touches.
func TestTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replay.Begin(t, databases.New(t)))
	a1, b1 := send(alice, 1, 100), send(bob, 1, 100)
	concerns := func(what string, names ...string) {
		t.Helper()
		w.fold(1)
		for _, name := range []string{shard.Mempool, shard.Transaction(a1.ID), shard.Transaction(b1.ID), shard.Account(alice.Address()), shard.Account(bob.Address()), shard.Account(carol.Address())} {
			if got := w.outcome.Touched.Includes(name); got != slices.Contains(names, name) {
				t.Errorf("%s: touches %q is %t", what, name, got)
			}
		}
	}
	w.apply(nakamoto(1, 0))
	concerns("an empty block")
	w.announce(start, a1)
	concerns("an announcement", shard.Mempool, shard.Transaction(a1.ID), shard.Account(alice.Address()), shard.Account(carol.Address()))
	w.announce(start, a1)
	concerns("the same again")
	w.apply(nakamoto(2, 1), a1, b1)
	concerns("a block with it, and another", shard.Mempool, shard.Transaction(a1.ID), shard.Account(alice.Address()), shard.Account(carol.Address()))
	w.revert()
	concerns("a revert", shard.Mempool, shard.Transaction(a1.ID), shard.Account(alice.Address()), shard.Account(carol.Address()))
	w.drop(nodeevent.DropTooExpensive, nil, a1, b1)
	concerns("a drop", shard.Mempool, shard.Transaction(a1.ID), shard.Account(alice.Address()), shard.Account(carol.Address()))
	w.announce(start, announced(alice.Sign(2, 100, &transaction.TokenTransfer{Recipient: bob.Principal(), Amount: 5})))
	concerns("a transfer to another", shard.Mempool, shard.Account(alice.Address()), shard.Account(bob.Address()))
	everybody := []string{shard.Mempool, shard.Account(alice.Address()), shard.Account(bob.Address()), shard.Account(carol.Address())}
	better := send(alice, 2, 200)
	w.announce(start, better)
	concerns("one that outbids it", everybody...)
	w.drop(nodeevent.DropTooExpensive, nil, better)
	concerns("a drop of that", everybody...)
	w.announce(start, b1)
	w.announce(start, a1)
	w.fold(2)
	if w.outcome.Touched != nil {
		t.Error("a batch of several steps lists what it touches")
	}
}

// TestDecode checks the records and errors that events of a node become.
func TestDecode(t *testing.T) {
	t.Parallel()
	items := replay.Decode(t, []replay.Post{
		{Path: "/new_mempool_tx", Body: []byte(`["0x` + hexOf(send(alice, 1, 100)) + `"]`)},
		{Path: "/new_mempool_tx", Body: []byte(`["0x` + hexOf(send(alice, 1, 100)) + `","0x00"]`)},
		{Path: "/drop_mempool_tx", Body: []byte(`{"dropped_txids":["0x12","` + send(bob, 1, 100).ID.String() + `"],"reason":"ReplaceByFee"}`)},
	})
	for i, want := range []string{"", "/1", "/dropped_txids/0"} {
		switch record := items[i].Record.(type) {
		case *projections.Announcement:
			if len(record.Transactions) != 1 || record.Transactions[0].ID != send(alice, 1, 100).ID {
				t.Errorf("%s: got %+v", items[i].Path, record)
			}
		case *nodeevent.DropMempoolTx:
			if !slices.Equal(record.TxIDs, []hash.Hash32{send(bob, 1, 100).ID}) {
				t.Errorf("%s: got %+v", items[i].Path, record)
			}
		default:
			t.Errorf("%s: got %+v", items[i].Path, items[i])
		}
		var pointers []string
		for _, q := range projections.Damaged(&items[i]) {
			pointers = append(pointers, q.Pointer)
		}
		if got := strings.Join(pointers, " "); got != want {
			t.Errorf("%s: got %q damaged, want %q", items[i].Path, got, want)
		}
	}
	many := replay.Decode(t, []replay.Post{{Path: "/new_mempool_tx", Body: []byte(`[` + strings.Repeat("null,", 249) + `5]`)}})
	if all := projections.Damaged(&many[0]); len(all) != 101 || all[99].Pointer != "/99" || all[100].Pointer != "" || !strings.HasPrefix(all[100].Reason, "150 more parts") {
		t.Errorf("got %d entries, the last ones %+v", len(all), all[len(all)-2:])
	}
}
