package brc20_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// feedConfig returns the configuration of a feed with all possible events, many of them about tokens.
func feedConfig(seed uint64) synthordinals.Config {
	cfg := synthordinals.Everything(seed, ordinals.Regtest)
	cfg.Accounts = 8
	cfg.Tokens = synthordinals.Range{Min: 1, Max: 8}
	cfg.SharedOutputShare = 0.5
	return cfg
}

// TestAnyFeed compares the rows after any history with the model, with the rows of the canonical blocks alone, and with
// the rows of a fold step by step.
func TestAnyFeed(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](8, 2) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			feed, j := synthordinals.New(feedConfig(seed)), newJudge(t)
			batched, single := newWorld(t, tx, 1), newWorld(t, tx, 2)
			for round := range 6 {
				var fresh []projections.FeedStep
				for range 12 {
					fresh = append(fresh, j.Receive(feed.Next())...)
				}
				batched.fold(1+[]int{6, 0, 40, 1, 1000, 12}[round], fresh...)
				batched.checkTip(j.tip())
				single.fold(1, fresh...)
				foldtest.Compare(t, "one step at a time", single.dump(), batched.dump())
				batched.checkSelf()
				expected := feed.Expected()
				compareState(batched, &expected)
			}
			alone := newWorld(t, tx, 3)
			alone.fold(17, j.canonical()...)
			foldtest.Compare(t, "after any history", batched.dump(), alone.dump())
			compareState(alone, expectedOf(feed))
			alone.checkSelf()
			// Reverting all blocks leaves no rows.
			var back []projections.FeedStep
			for _, s := range j.canonical() {
				back = append(back, j.Revert(s.Height))
			}
			slices.SortFunc(back, func(a, b projections.FeedStep) int { return cmp.Compare(a.Height*7919%101, b.Height*7919%101) })
			batched.fold(50, back...)
			foldtest.Compare(t, "all taken back", batched.dump(), nil)
			batched.checkTip(nil)
		})
	}
}

// TestLongLists folds so many operations that lists have parts, in one batch, and block by block from the highest down.
func TestLongLists(t *testing.T) {
	t.Parallel()
	cfg := feedConfig(99)
	cfg.Accounts, cfg.GapProbability, cfg.Live = 4, 0.1, 6000
	cfg.Reveals, cfg.Transfers = synthordinals.Range{}, synthordinals.Range{Max: 1}
	cfg.Tokens = synthordinals.Range{Min: 60, Max: 90}
	feed, j := synthordinals.New(cfg), newJudge(t)
	tx := replay.Begin(t, databases.New(t))
	whole, backwards := newWorld(t, tx, 1), newWorld(t, tx, 2)
	for range 45 {
		whole.fold(7, j.Receive(feed.Next())...)
	}
	expected := feed.Expected()
	compareState(whole, &expected)
	whole.checkSelf()
	steps := j.canonical()
	slices.Reverse(steps)
	backwards.fold(3, steps...)
	foldtest.Compare(t, "backwards", backwards.dump(), whole.dump())
	backwards.checkSelf()
	if parts := whole.rows(`SELECT list FROM {schema}.part WHERE list = 'all'`); len(parts) < 3 {
		t.Errorf("%d operations are in %d parts", len(expected.Activity), len(parts))
	}
}

// compareState compares the tables with the model.
func compareState(w *world, want *synthordinals.State) {
	w.t.Helper()
	var tokens, balances, activity, blocks []string
	for _, b := range want.Blocks {
		blocks = append(blocks, fmt.Sprintf("%d %x %d", b.Height, b.Hash[:], b.Time))
	}
	for _, t := range want.Tokens {
		tokens = append(tokens, fmt.Sprintf("%s %s %s %s %d %x %d %s %s %s %d %t %s %d %d", t.Ticker, t.Tick, t.ID, number(want, t.ID), t.Height, t.TxID[:], t.TxIndex,
			t.Address, amount(t.Max), amount(t.Limit), t.Decimals, t.SelfMint, amount(t.Minted), t.TxCount, t.Holders))
	}
	for h, b := range want.Balances {
		balances = append(balances, fmt.Sprintf("%s %s %s %s", h.Ticker, h.Address, amount(b.Available), amount(b.Transferrable)))
	}
	transfers, sends := map[ordinals.InscriptionID]bool{}, map[ordinals.InscriptionID]string{}
	for _, a := range want.Activity {
		switch a.Kind {
		case ordinals.BRC20KindTransfer:
			transfers[a.ID] = true
		case ordinals.BRC20KindTransferSend:
			sends[a.ID] = fmt.Sprintf("%d %d", a.Height, a.TxIndex)
		}
	}
	for _, a := range want.Activity {
		receiver := a.Receiver
		if a.Kind != ordinals.BRC20KindTransferSend {
			receiver = "-"
		}
		n := number(want, a.ID)
		at := satpoint(want, &a)
		if a.Kind == ordinals.BRC20KindTransferSend && !transfers[a.ID] { // its transfer is in a gap
			n, at = "-", "?"
		}
		sent := "-"
		if a.Kind == ordinals.BRC20KindTransfer {
			sent = cmp.Or(sends[a.ID], sent)
		}
		activity = append(activity, fmt.Sprintf("%s %s %s %d %x %d %s %s %s %s %s %s", a.Kind, a.Ticker, a.ID, a.Height, a.TxID[:], a.TxIndex, a.Address,
			receiver, amount(a.Amount), n, at, sent))
	}
	slices.Sort(tokens)
	slices.Sort(balances)
	slices.Sort(activity)
	w.check("blocks", `SELECT concat_ws(' ', height, encode(block_hash, 'hex'), time) FROM {schema}.block ORDER BY height`, blocks...)
	sorted := func(what, query string, want []string) {
		w.t.Helper()
		got := w.rows(query)
		slices.Sort(got)
		foldtest.Compare(w.t, what, got, want)
	}
	sorted("tokens", `
		SELECT concat_ws(' ', ticker, tick, id, coalesce(number::text, '-'), height, encode(txid, 'hex'), tx_index, address, max_supply, coalesce(mint_limit::text, '-'), decimals,
			CASE WHEN self_mint THEN 'true' ELSE 'false' END, minted, tx_count, holders) FROM {schema}.token WHERE height IS NOT NULL`, tokens)
	sorted("balances", `
		SELECT concat_ws(' ', ticker, address, available, transferrable) FROM {schema}.balance WHERE available <> 0 OR transferrable <> 0`, balances)
	sorted("activity", `
		SELECT concat_ws(' ', (ARRAY['deploy', 'mint', 'transfer', 'transfer_send'])[kind], ticker, id, height, encode(txid, 'hex'), tx_index,
			address, CASE kind WHEN 4 THEN receiver ELSE '-' END, coalesce(amount::text, '-'), coalesce(number::text, '-'),
			CASE WHEN kind = 4 AND sat IS NULL THEN '?' ELSE coalesce(satpoint, '-') END,
			coalesce(sent_height || ' ' || sent_tx_index, '-')) FROM {schema}.operation`, activity)
}

// number prints the number of an inscription; - if it is not known.
func number(s *synthordinals.State, id ordinals.InscriptionID) string {
	if i := s.Inscriptions[id]; i != nil {
		return strconv.FormatInt(i.Number, 10)
	}
	return "-"
}

// satpoint returns the satpoint of an operation's inscription after it; - if the model does not know it.
func satpoint(s *synthordinals.State, a *synthordinals.Activity) string {
	i := s.Inscriptions[a.ID]
	if i == nil {
		return "-"
	}
	for _, l := range s.Locations[i.Sat] {
		if l.Height == a.Height && l.TxIndex == a.TxIndex {
			return l.Output + ":" + strconv.FormatUint(*l.Offset, 10)
		}
	}
	return "-"
}

// amount prints an amount as the tables do.
func amount(units *big.Int) string {
	if units == nil {
		return "-"
	}
	return ordinals.FormatAmount(units, ordinals.AmountDecimals)
}

func expectedOf(feed *synthordinals.Feed) *synthordinals.State {
	s := feed.Expected()
	return &s
}

// TestAnyOrder applies and reverts the blocks of a feed in random order.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range short.Form[uint64](4, 1) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			feed, j := synthordinals.New(feedConfig(100+seed)), newJudge(t)
			for range 40 {
				j.Receive(feed.Next())
			}
			blocks := j.canonical()
			random := rand.New(rand.NewPCG(seed, 1))
			j.Applied = map[int64]projections.FeedStep{}
			w, alone := newWorld(t, tx, 1), newWorld(t, tx, 2)
			for range 12 {
				var steps []projections.FeedStep
				for range 1 + random.IntN(60) {
					b := blocks[random.IntN(len(blocks))]
					if old, ok := j.Applied[b.Height]; ok {
						steps = append(steps, j.Revert(old.Height))
						continue
					}
					j.Applied[b.Height] = b
					steps = append(steps, b)
				}
				w.fold(1+random.IntN(80), steps...)
				w.checkTip(j.tip())
				w.checkSelf()
			}
			alone.fold(1000, j.canonical()...)
			foldtest.Compare(t, "in any order", w.dump(), alone.dump())
		})
	}
}
