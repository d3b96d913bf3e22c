package audit_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

// What is shown of inscriptions and satoshis is in the events of the feed that traces name.
func TestTraceOfInscriptions(t *testing.T) {
	t.Parallel()
	first := apitest.At(775617, apitest.DefaultTime, apitest.Ra(7, apitest.Sat), apitest.InTx(apitest.TxE, apitest.RevealOf(apitest.TxE, 8, apitest.Sat+5, nil)))
	second := apitest.FeedBlock(775618, apitest.BhB, apitest.DefaultTime, apitest.Rb(9, apitest.Sat+1, apitest.Fields{"delegate": apitest.TxA + "i0"}), apitest.Move(apitest.Sat, apitest.Ad2, apitest.TxC+":0:5", 9000, 3))
	third := apitest.FeedBlock(775619, apitest.BhC, apitest.DefaultTime, apitest.Rg(10, apitest.Sat), apitest.Move(apitest.Sat+1, apitest.Ad3, apitest.TxD+":1:0", 8000, 4))
	s := apitest.NewOrdinalsSite(t)
	s.Apply(apitest.FeedBlock(775616, apitest.BhD, apitest.DefaultTime), first) // so that it is not the first of its event
	s.Apply(apitest.FeedBlock(775618, strings.Replace(apitest.BhB, "b", "c", 1), apitest.DefaultTime, apitest.Rb(9, apitest.Sat+3)))
	s.Rollback(apitest.FeedBlock(775618, strings.Replace(apitest.BhB, "b", "c", 1), apitest.DefaultTime, apitest.Rb(9, apitest.Sat+3)))
	s.Apply(second, third)

	const root = "/ordinals/v1"
	for _, tc := range []struct {
		path         string
		inscriptions []string // in this order
		locations    int
		blocks       []string
		withSatoshis int
	}{
		{"/inscriptions/" + apitest.TxA + "i0", []string{apitest.TxA + "i0"}, 1, []string{"775619", "775617"}, 1},
		{"/inscriptions/9", []string{apitest.TxB + "i0"}, 1, []string{"775619", "775618"}, 1},
		{"/inscriptions", []string{apitest.TxG + "i0", apitest.TxB + "i0", apitest.TxE + "i0", apitest.TxA + "i0"}, 3, []string{"775619", "775618", "775617"}, 3},
		{"/inscriptions?order_by=number&order=asc&limit=2", []string{apitest.TxA + "i0", apitest.TxE + "i0"}, 2, []string{"775619", "775617"}, 2},
		{fmt.Sprintf("/sats/%d/inscriptions", apitest.Sat), []string{apitest.TxG + "i0", apitest.TxA + "i0"}, 1, []string{"775619", "775617"}, 1},
		{fmt.Sprintf("/sats/%d", apitest.Sat), []string{apitest.TxG + "i0"}, 0, nil, 0},
		{fmt.Sprintf("/sats/%d", apitest.Sat+77), nil, 0, nil, 0},
		{"/inscriptions/" + apitest.TxA + "i0/content", []string{apitest.TxA + "i0"}, 0, nil, 0},
		{"/inscriptions/9/content", []string{apitest.TxA + "i0", apitest.TxB + "i0"}, 0, nil, 0}, // the delegate's
		{"/inscriptions/7/transfers", []string{apitest.TxA + "i0"}, 3, []string{"775619", "775618", "775617"}, 0},
		{"/inscriptions/7/transfers?limit=1&offset=1", []string{apitest.TxA + "i0"}, 1, []string{"775618"}, 0},
		{"/inscriptions/transfers?block=775619", []string{apitest.TxB + "i0", apitest.TxA + "i0"}, 4, []string{"775619", "775618"}, 0},
		{"/stats/inscriptions", nil, 0, []string{"775619", "775618", "775617"}, 0},
		{"/inscriptions/99", nil, 0, nil, 0},
	} {
		traced := s.Trace(root+tc.path, 3)
		var ids []string
		for _, r := range traced.In("inscriptions.inscription") {
			s.Revealed(r)
			ids = append(ids, r.Column("id"))
		}
		check.EqualSlices(t, tc.path, ids, tc.inscriptions)
		locations, satoshis := traced.In("inscriptions.location"), traced.In("inscriptions.satoshi")
		for _, r := range slices.Concat(locations, satoshis) {
			s.Moved(r)
		}
		if len(locations) != tc.locations || len(satoshis) != tc.withSatoshis {
			t.Errorf("%s: got %d locations and %d satoshis, want %d and %d", tc.path, len(locations), len(satoshis), tc.locations, tc.withSatoshis)
		}
		check.EqualSlices(t, fmt.Sprintf("%s: blocks", tc.path), s.TracedBlocks(traced, "inscriptions"), tc.blocks)
	}
}

// What is shown of BRC-20 tokens is in the events of the feed, and the changes of a balance add up to it.
func TestTraceOfBRC20(t *testing.T) {
	t.Parallel()
	w := apitest.NewTokenWorld(t)
	w.Mine(767430, w.Deploy("PEPE", "1000", "100", apitest.Ad1), w.Deploy("ordi", "2000", "100", apitest.Ad2), w.Mint("pepe", "100", apitest.Ad1))
	sent := w.Transfer("pepe", "30", apitest.Ad1)
	w.Mine(767431, w.Mint("pepe", "50", apitest.Ad1), sent, w.Transfer("pepe", "7", apitest.Ad1), w.Mint("ordi", "9", apitest.Ad1))
	w.Mine(767432, w.Send(sent, apitest.Ad3))
	for _, tc := range []struct {
		path                       string
		operations, tokens, blocks int
		balances, entries          int
	}{
		{"/tokens", 0, 2, 1, 0, 0},
		{"/tokens?ticker=PE&order_by=tx_count", 0, 1, 1, 0, 0},
		{"/tokens/pepe", 2, 1, 1, 0, 0},
		{"/tokens/pepe/holders", 0, 1, 0, 2, 0},
		{"/tokens/pepe/holders?limit=1&offset=1", 0, 1, 0, 1, 0},
		{"/balances/" + apitest.Ad1, 0, 2, 0, 2, 6},
		{"/balances/" + apitest.Ad1 + "?block_height=767430", 0, 1, 0, 0, 1},
		{"/balances/" + apitest.Ad1 + "?ticker=ordi", 0, 1, 0, 1, 1},
		{"/balances/" + apitest.Ad6, 0, 0, 0, 0, 0},
		{"/balances/" + apitest.Ad1 + "/transferable", 1, 1, 0, 0, 0},
		{"/activity", 8, 2, 3, 0, 0},
		{"/activity?operation=transfer_send", 1, 1, 1, 0, 0},
		{"/tokens/none", 0, 0, 0, 0, 0},
	} {
		traced := w.Trace("/ordinals/v1/brc-20"+tc.path, 3)
		operations, tokens := traced.In("brc20.operation"), traced.In("brc20.token")
		for _, r := range operations {
			w.Operates(r)
		}
		for _, r := range tokens {
			if o := w.Fact(r, "source_seq")["deploy"].(apitest.Fields); o["tick"] != r.Column("tick") || apitest.Whole(o["max"].(string)) != r.Column("max_supply") || o["inscription_id"] != r.Column("id") {
				t.Errorf("%s: got %v of %v", tc.path, r, o)
			}
		}
		balances, entries := traced.In("brc20.balance"), traced.In("brc20.entry")
		for _, r := range slices.Concat(balances, entries) {
			w.Changes(r)
		}
		blocks := w.TracedBlocks(traced, "brc20")
		if got := []int{len(operations), len(tokens), len(blocks), len(balances), len(entries)}; !slices.Equal(got, []int{tc.operations, tc.tokens, tc.blocks, tc.balances, tc.entries}) {
			t.Errorf("%s: got %v operations, tokens, blocks, balances, entries; want %+v", tc.path, got, tc)
		}
	}

	traced := w.Trace("/ordinals/v1/brc-20/balances/"+apitest.Ad1, 2)
	sums := map[string]*big.Rat{}
	for _, e := range traced.In("brc20.entry") {
		for _, column := range []string{"available", "transferrable"} {
			name := e.Column("ticker") + " " + column
			if sums[name] == nil {
				sums[name] = new(big.Rat)
			}
			delta, ok := new(big.Rat).SetString(e.Column(column + "_delta"))
			if !ok {
				t.Fatalf("got %v", e)
			}
			sums[name].Add(sums[name], delta)
		}
	}
	for _, b := range traced.In("brc20.balance") {
		for _, column := range []string{"available", "transferrable"} {
			want, _ := new(big.Rat).SetString(b.Column(column))
			if got := sums[b.Column("ticker")+" "+column]; got == nil || got.Cmp(want) != 0 {
				t.Errorf("the changes of %s %s add up to %v, want %v", b.Column("ticker"), column, got, want)
			}
		}
	}
}
