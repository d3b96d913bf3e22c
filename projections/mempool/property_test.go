package mempool_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// candidates returns transactions of few accounts with few nonces, so that many of them exclude each other.
func candidates() (all []projections.Announced) {
	payload := &transaction.TokenTransfer{Recipient: carol.Principal(), Amount: 5}
	for _, from := range []body.Account{alice, bob} {
		for nonce := range uint64(3) {
			for fee := range uint64(3) {
				all = append(all, announced(from.Sign(nonce, 100+fee, payload)))
			}
			all = append(all, announced(from.Sponsor(nonce, carol, nonce, 200, payload)), announced(from.Sponsor(nonce, from, nonce, 300, payload)))
		}
	}
	return all
}

// TestProperty folds random announcements, drops, blocks and reorganisations, in batches of random sizes and with
// restarts, and compares the rows with those of a model that knows neither tables nor batches.
func TestProperty(t *testing.T) {
	t.Parallel()
	all := candidates()
	pool := databases.New(t)
	reasons := []nodeevent.DropReason{"ReplaceByFee", "ReplaceAcrossFork", "StaleGarbageCollect", "TooExpensive", "Problematic", "Unheard"}
	rapid.Check(t, func(rt *rapid.T) {
		w, m := newWorld(rt, replay.Begin(rt, pool)), newModel()
		numbers := rapid.SliceOfN(rapid.IntRange(0, len(all)-1), 1, 4)
		some := func(label string) (txs []projections.Announced) {
			for _, i := range numbers.Draw(rt, label) {
				txs = append(txs, all[i])
			}
			return txs
		}
		old := rapid.Bool().Draw(rt, "before Nakamoto")
		now := uint64(1_700_000_000)
		for range rapid.IntRange(1, 6).Draw(rt, "batches") {
			for range rapid.IntRange(1, 14).Draw(rt, "steps") {
				switch what := rapid.IntRange(0, 9).Draw(rt, "what"); {
				case what < 4:
					late := rapid.Uint64Range(0, 4000*60).Draw(rt, "received before")
					w.announce(int64(now-late), some("announced")...)
				case what < 6:
					var by *projections.Announced
					if rapid.Bool().Draw(rt, "for another") {
						by = &all[rapid.IntRange(0, len(all)-1).Draw(rt, "another")]
					}
					w.drop(rapid.SampledFrom(reasons).Draw(rt, "reason"), by, some("dropped")...)
				case what < 7 && len(w.chain) > 0:
					for range rapid.IntRange(1, len(w.chain)).Draw(rt, "reverted") {
						w.revert()
					}
				default:
					a := place{old: old, height: 1, burn: 1000, time: now}
					if tip := w.tip(); tip != nil {
						a.height, a.burn, a.time = tip.Height+1, tip.BurnBlockHeight, tip.BurnBlockTime+600
						switch rapid.IntRange(0, 5).Draw(rt, "far") {
						case 0, 1:
							a.height, a.burn, a.time = a.height+200, a.burn+300, a.time+1500*60
						case 2: // as on a made-up chain
							a.burn = rapid.Uint64Range(0, 2000).Draw(rt, "Bitcoin block")
						}
						now = max(now, a.time)
					}
					w.apply(a, w.mineable(some("mined"))...)
				}
			}
			before := w.folded
			if rapid.Bool().Draw(rt, "restarted") {
				w.projection.Forget()
			}
			w.fold(rapid.IntRange(1, 20).Draw(rt, "at a time"))
			for i := range w.steps[before:] {
				m.take(&w.steps[before+i])
			}
			got := w.texts(schemas.In(`
				SELECT encode(txid, 'hex') || ' ' || source_seq || '/' || pointer || ' at ' || receipt_time || ' in ' || receipt_height || ': ' || status
				       || CASE WHEN status NOT IN ('mined', 'pending') THEN coalesce(' ' || encode(coalesce(taken_by, dropped_for), 'hex'), '') ELSE '' END
				FROM {mempool}.transaction ORDER BY txid`))
			if want := m.rows(); !slices.Equal(got, want) {
				rt.Fatalf("after step %d:\n got %q\nwant %q", w.folded, got, want)
			}
			got = w.texts(schemas.In(`SELECT concat_ws(' ', height, tx_index, sponsored::text, claim, encode(txid, 'hex')) FROM {mempool}.mined`))
			slices.Sort(got)
			if want := m.uses(); !slices.Equal(got, want) {
				rt.Fatalf("nonces remembered after step %d:\n got %q\nwant %q", w.folded, got, want)
			}
			for id, row := range m.texts {
				if changed := w.changed(id); changed < row.since {
					rt.Fatalf("%x changed with event %d, but its row has changed_seq %d", id[:], row.since, changed)
				}
			}
		}
	})
}

// mineable returns the transactions that the next block may contain: those whose nonces are not used on the chain.
func (w *world) mineable(txs []projections.Announced) (valid []projections.Announced) {
	used := map[nonceOf]bool{}
	for _, b := range w.chain {
		for i := range b.Transactions {
			for n := range noncesOf(projections.Announced{Transaction: b.Decoded[i]}) {
				used[n] = true
			}
		}
	}
next:
	for _, tx := range txs {
		nonces := noncesOf(tx)
		for n := range nonces {
			if used[n] {
				continue next
			}
		}
		for n := range nonces {
			used[n] = true
		}
		valid = append(valid, tx)
	}
	return valid
}
