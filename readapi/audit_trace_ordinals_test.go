package readapi_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// revealed checks that an inscription of a trace is the reveal that its event has at the pointer.
func (s *ordinalsSite) revealed(r rowOf) {
	s.t.Helper()
	reveal, ok := s.fact(r, "source_seq")["inscription_revealed"].(fields)
	if !ok || reveal["inscription_id"] != r.column("id") || fmt.Sprint(reveal["inscription_number"].(fields)["jubilee"]) != r.column("number") ||
		fmt.Sprint(reveal["ordinal_number"]) != r.column("sat") {
		s.t.Errorf("inscription %v %v: got %v", r.Key, r.Values, reveal)
	}
}

// moved checks that a location of a trace is the operation that its event has at the pointer.
func (s *ordinalsSite) moved(r rowOf) {
	s.t.Helper()
	for kind, operation := range s.fact(r, "source_seq") {
		o := operation.(fields)
		satpoint := o["satpoint_post_inscription"]
		if kind == "inscription_transferred" {
			satpoint = o["satpoint_post_transfer"]
		}
		want := strings.TrimPrefix(r.column("output_txid"), "0x") + ":" + r.column("vout") + ":"
		if fmt.Sprint(o["ordinal_number"]) != r.column("sat") || !strings.HasPrefix(fmt.Sprint(satpoint), want) {
			s.t.Errorf("%s %v: got %v, want it at %s", r.Table, r.Key, o, want)
		}
	}
}

// blocks checks the blocks of a trace, and says at which heights they are.
func (s *ordinalsSite) tracedBlocks(traced traceOf, projection string) (heights []string) {
	s.t.Helper()
	for _, r := range traced.in(projection + ".block") {
		identifier := s.fact(r, "source_seq")["block_identifier"].(fields)
		if fmt.Sprint(identifier["index"]) != r.column("height") || identifier["hash"] != r.column("block_hash") {
			s.t.Errorf("%s: block %v is of %v", traced.Path, r, identifier)
		}
		heights = append(heights, r.column("height"))
	}
	return heights
}

// What is shown of inscriptions and satoshis is in the events of the feed that traces name.
func TestTraceOfInscriptions(t *testing.T) {
	t.Parallel()
	first := at(775617, defaultTime, ra(7, sat), inTx(txE, revealOf(txE, 8, sat+5, nil)))
	second := feedBlock(775618, bhB, defaultTime, rb(9, sat+1, fields{"delegate": txA + "i0"}), move(sat, ad2, txC+":0:5", 9000, 3))
	third := feedBlock(775619, bhC, defaultTime, rg(10, sat), move(sat+1, ad3, txD+":1:0", 8000, 4))
	s := newOrdinalsSite(t)
	s.apply(feedBlock(775616, bhD, defaultTime), first) // so that it is not the first of its event
	s.apply(feedBlock(775618, strings.Replace(bhB, "b", "c", 1), defaultTime, rb(9, sat+3)))
	s.rollback(feedBlock(775618, strings.Replace(bhB, "b", "c", 1), defaultTime, rb(9, sat+3)))
	s.apply(second, third)

	const root = "/ordinals/v1"
	for _, tc := range []struct {
		path         string
		inscriptions []string // in this order
		locations    int
		blocks       []string
		withSatoshis int
	}{
		{"/inscriptions/" + txA + "i0", []string{txA + "i0"}, 1, []string{"775619", "775617"}, 1},
		{"/inscriptions/9", []string{txB + "i0"}, 1, []string{"775619", "775618"}, 1},
		{"/inscriptions", []string{txG + "i0", txB + "i0", txE + "i0", txA + "i0"}, 3, []string{"775619", "775618", "775617"}, 3},
		{"/inscriptions?order_by=number&order=asc&limit=2", []string{txA + "i0", txE + "i0"}, 2, []string{"775619", "775617"}, 2},
		{fmt.Sprintf("/sats/%d/inscriptions", sat), []string{txG + "i0", txA + "i0"}, 1, []string{"775619", "775617"}, 1},
		{fmt.Sprintf("/sats/%d", sat), []string{txG + "i0"}, 0, nil, 0},
		{fmt.Sprintf("/sats/%d", sat+77), nil, 0, nil, 0},
		{"/inscriptions/" + txA + "i0/content", []string{txA + "i0"}, 0, nil, 0},
		{"/inscriptions/9/content", []string{txA + "i0", txB + "i0"}, 0, nil, 0}, // the delegate's
		{"/inscriptions/7/transfers", []string{txA + "i0"}, 3, []string{"775619", "775618", "775617"}, 0},
		{"/inscriptions/7/transfers?limit=1&offset=1", []string{txA + "i0"}, 1, []string{"775618"}, 0},
		{"/inscriptions/transfers?block=775619", []string{txB + "i0", txA + "i0"}, 4, []string{"775619", "775618"}, 0},
		{"/stats/inscriptions", nil, 0, []string{"775619", "775618", "775617"}, 0},
		{"/inscriptions/99", nil, 0, nil, 0},
	} {
		traced := s.trace(root+tc.path, 3)
		var ids []string
		for _, r := range traced.in("inscriptions.inscription") {
			s.revealed(r)
			ids = append(ids, r.column("id"))
		}
		if !slices.Equal(ids, tc.inscriptions) {
			t.Errorf("%s: got %v, want %v", tc.path, ids, tc.inscriptions)
		}
		locations, satoshis := traced.in("inscriptions.location"), traced.in("inscriptions.satoshi")
		for _, r := range slices.Concat(locations, satoshis) {
			s.moved(r)
		}
		if len(locations) != tc.locations || len(satoshis) != tc.withSatoshis {
			t.Errorf("%s: got %d locations and %d satoshis, want %d and %d", tc.path, len(locations), len(satoshis), tc.locations, tc.withSatoshis)
		}
		if blocks := s.tracedBlocks(traced, "inscriptions"); !slices.Equal(blocks, tc.blocks) {
			t.Errorf("%s: got blocks %v, want %v", tc.path, blocks, tc.blocks)
		}
	}
}

// What is shown of BRC-20 tokens is in the events of the feed, and the changes of a balance add up to it.
func TestTraceOfBRC20(t *testing.T) {
	t.Parallel()
	w := newTokenWorld(t)
	w.mine(767430, w.deploy("PEPE", "1000", "100", ad1), w.deploy("ordi", "2000", "100", ad2), w.mint("pepe", "100", ad1))
	sent := w.transfer("pepe", "30", ad1)
	w.mine(767431, w.mint("pepe", "50", ad1), sent, w.transfer("pepe", "7", ad1), w.mint("ordi", "9", ad1))
	w.mine(767432, w.send(sent, ad3))
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
		{"/balances/" + ad1, 0, 2, 0, 2, 6},
		{"/balances/" + ad1 + "?block_height=767430", 0, 1, 0, 0, 1},
		{"/balances/" + ad1 + "?ticker=ordi", 0, 1, 0, 1, 1},
		{"/balances/" + ad6, 0, 0, 0, 0, 0},
		{"/balances/" + ad1 + "/transferable", 1, 1, 0, 0, 0},
		{"/activity", 8, 2, 3, 0, 0},
		{"/activity?operation=transfer_send", 1, 1, 1, 0, 0},
		{"/tokens/none", 0, 0, 0, 0, 0},
	} {
		traced := w.trace("/ordinals/v1/brc-20"+tc.path, 3)
		operations, tokens := traced.in("brc20.operation"), traced.in("brc20.token")
		for _, r := range operations {
			w.operates(r)
		}
		for _, r := range tokens {
			if o := w.fact(r, "source_seq")["deploy"].(fields); o["tick"] != r.column("tick") || whole(o["max"].(string)) != r.column("max_supply") || o["inscription_id"] != r.column("id") {
				t.Errorf("%s: got %v of %v", tc.path, r, o)
			}
		}
		balances, entries := traced.in("brc20.balance"), traced.in("brc20.entry")
		for _, r := range slices.Concat(balances, entries) {
			w.changes(r)
		}
		blocks := w.tracedBlocks(traced, "brc20")
		if got := []int{len(operations), len(tokens), len(blocks), len(balances), len(entries)}; !slices.Equal(got, []int{tc.operations, tc.tokens, tc.blocks, tc.balances, tc.entries}) {
			t.Errorf("%s: got %v operations, tokens, blocks, balances, entries; want %+v", tc.path, got, tc)
		}
	}

	traced := w.trace("/ordinals/v1/brc-20/balances/"+ad1, 2)
	sums := map[string]*big.Rat{}
	for _, e := range traced.in("brc20.entry") {
		for _, column := range []string{"available", "transferrable"} {
			name := e.column("ticker") + " " + column
			if sums[name] == nil {
				sums[name] = new(big.Rat)
			}
			delta, ok := new(big.Rat).SetString(e.column(column + "_delta"))
			if !ok {
				t.Fatalf("got %v", e)
			}
			sums[name].Add(sums[name], delta)
		}
	}
	for _, b := range traced.in("brc20.balance") {
		for _, column := range []string{"available", "transferrable"} {
			want, _ := new(big.Rat).SetString(b.column(column))
			if got := sums[b.column("ticker")+" "+column]; got == nil || got.Cmp(want) != 0 {
				t.Errorf("the changes of %s %s add up to %v, want %v", b.column("ticker"), column, got, want)
			}
		}
	}
}

// operates checks that an operation of a trace is what its event has at the pointer.
func (w *tokenWorld) operates(r rowOf) {
	w.t.Helper()
	kind := []string{"", "deploy", "mint", "transfer", "transfer_send"}[r.Values["kind"].(interface{ String() string }).String()[0]-'0']
	o, ok := w.fact(r, "source_seq")[kind].(fields)
	if !ok || strings.ToLower(o["tick"].(string)) != r.column("ticker") || o["inscription_id"] != r.column("id") {
		w.t.Fatalf("%v is of %v", r, o)
	}
	if amount := r.column("amount"); amount != "" && amount != whole(o["amt"].(string)) {
		w.t.Errorf("%v is of %v", r, o)
	}
}

// changes checks that a balance or a change of one is of an operation about its token and address.
func (w *tokenWorld) changes(r rowOf) {
	w.t.Helper()
	for kind, operation := range w.fact(r, "source_seq") {
		o := operation.(fields)
		of := fmt.Sprint(o["address"], o["sender_address"], o["receiver_address"])
		if strings.ToLower(o["tick"].(string)) != r.column("ticker") || !strings.Contains(of, r.column("address")) {
			w.t.Errorf("%v is of the %s %v", r, kind, o)
		}
		delta := strings.TrimLeft(r.column("available_delta"), "-")
		if _, is := r.Values["available_delta"]; is && delta != whole(o["amt"].(string)) && strings.TrimLeft(r.column("transferrable_delta"), "-") != whole(o["amt"].(string)) {
			w.t.Errorf("%v changes by another amount than the %s %v", r, kind, o)
		}
	}
}
