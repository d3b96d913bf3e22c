package audit_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"

	signed "strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// Each block of an answer is in the body of the event that its trace names.
func TestTraceOfBlocks(t *testing.T) {
	t.Parallel()
	s, truth := apitest.MadeUp(t)
	if len(truth.Blocks) < 30 {
		t.Fatalf("got %d blocks", len(truth.Blocks))
	}
	check := func(path string, want []synthchain.BlockRef) {
		t.Helper()
		traced := s.Trace(path, 7)
		blocks, canonical := traced.In("chain.block"), traced.In("chain.canonical")
		if len(blocks) != len(want) || len(canonical) != len(want) {
			t.Fatalf("%s: got %d blocks, %d of them canonical, want %d", path, len(blocks), len(canonical), len(want))
		}
		for i, b := range blocks {
			body := s.Fact(b, "source_seq")
			if id := want[i].IndexHash.String(); body["index_block_hash"] != id || b.Column("index_block_hash") != id || body["block_hash"] != b.Column("block_hash") {
				t.Errorf("%s: block %d: got %v, of an event with %v, want %s", path, i, b.Values, body["index_block_hash"], id)
			}
			if canonical[i].Column("block_seq") != b.Column("source_seq") {
				t.Errorf("%s: got canonical %v of block %v", path, canonical[i], b)
			}
		}
	}
	last := len(truth.Blocks) - 1
	newest := slices.Clone(truth.Blocks[last-19:])
	slices.Reverse(newest)
	check("/extended/v2/blocks", newest)
	check("/extended/v2/blocks/latest", truth.Blocks[last:])
	for _, b := range truth.Blocks[last-15:] {
		check(fmt.Sprintf("/extended/v2/blocks/%d", b.Height), []synthchain.BlockRef{b})
		check("/extended/v2/blocks/"+b.IndexHash.String(), []synthchain.BlockRef{b})
	}
}

// The changes behind a balance add up to it, and each is what the event says at the pointer.
func TestTraceOfBalances(t *testing.T) {
	t.Parallel()
	s, truth := apitest.MadeUp(t)
	causes := map[string]int{}
	for i, account := range slices.Sorted(func(yield func(string) bool) {
		for account := range truth.Balances {
			if !yield(account) {
				return
			}
		}
	}) {
		if i%4 != 0 { // each takes a while
			continue
		}
		var answer struct{ Balance, Locked string }
		path := "/extended/v1/address/" + account + "/stx"
		apitest.DecodeJSON(t, s.Get(path).Body, &answer)
		if want := fmt.Sprint(truth.Balances[account]); answer.Balance != want {
			t.Fatalf("%s: got %s, want %s", path, answer.Balance, want)
		}
		traced := s.Trace(path, 9)
		if got := s.One(traced, "balances.holding"); got.Column("balance") != answer.Balance {
			t.Errorf("%s: got %v", path, got)
		}
		entries(s, traced, account, "stx", answer.Balance, causes)
		if locks := traced.In("balances.stx_lock"); answer.Locked != "0" {
			lock := s.One(traced, "balances.stx_lock")
			if event := s.Fact(lock, "source_seq")["stx_lock_event"].(apitest.Fields); event["locked_address"] != account || event["locked_amount"] != answer.Locked {
				t.Errorf("%s: got lock %v of %v, want %s", path, lock, event, answer.Locked)
			}
		} else if len(locks) > 1 {
			t.Errorf("%s: got locks %v", path, locks)
		}
		short := strings.Replace(path, "/extended/v1/address/", "/extended/v2/addresses/", 1)
		if got := s.Trace(strings.TrimSuffix(short, "/stx")+"/balances/stx", 200); apitest.AsJSON(t, got.Rows) != apitest.AsJSON(t, traced.Rows) {
			t.Errorf("%s: version 2 has other rows: %v", path, got.Rows)
		}
		assets(s, account, "", causes)
		assets(s, account, fmt.Sprintf("?until_block=%d", truth.Tip.Height/2), causes)
	}
	for _, cause := range []string{"stx_transfer_event", "fee", "miner_reward", "ft_transfer_event", "ft_mint_event", "nft_mint_event", "nft_transfer_event"} {
		if causes[cause] == 0 {
			t.Errorf("no change by %s was traced: %v", cause, causes)
		}
	}
}

// assets checks the trace of all that an account has at a block.
func assets(s *apitest.Site, account, query string, causes map[string]int) {
	s.T.Helper()
	path := "/extended/v1/address/" + account + "/balances" + query
	var answer struct {
		STX      struct{ Balance string }
		Fungible map[string]struct{ Balance string } `json:"fungible_tokens"`
		NFT      map[string]struct{ Count string }   `json:"non_fungible_tokens"`
	}
	got := s.Get(path)
	if got.Status != 200 {
		s.T.Fatalf("%s: got %d %s", path, got.Status, got.Body)
	}
	apitest.DecodeJSON(s.T, got.Body, &answer)
	traced := s.Trace(path, 11)
	entries(s, traced, account, "stx", answer.STX.Balance, causes)
	for asset, has := range answer.Fungible {
		entries(s, traced, account, asset, has.Balance, causes)
	}
	for asset, has := range answer.NFT {
		entries(s, traced, account, asset, has.Count, causes)
	}
}

// entries checks the entries of the ledger of an account and an asset, the newest first, down to the first.
func entries(s *apitest.Site, traced apitest.TraceOf, account, asset, balance string, causes map[string]int) {
	s.T.Helper()
	sum, n := new(big.Int), 0
	for _, e := range traced.In("balances.ledger") {
		if e.Column("account") != account || e.Column("asset") != asset {
			continue
		}
		if n == 0 && e.Column("balance") != balance {
			s.T.Errorf("%s: the newest entry of %s is %v, want balance %s", traced.Path, asset, e, balance)
		}
		n++
		delta, _ := new(big.Int).SetString(e.Column("delta"), 10)
		sum.Add(sum, delta)
		cause := e.Column("cause")
		causes[cause]++
		fact := s.Fact(e, "source_seq")
		if got := amountOf(s.T, fact, cause, account, asset); got.CmpAbs(delta) != 0 {
			s.T.Errorf("%s: entry %v: got %s of %v, want %s", traced.Path, e, got, fact, delta)
		}
	}
	if sum.String() != balance {
		s.T.Errorf("%s: %d changes of %s add up to %s, want %s", traced.Path, n, asset, sum, balance)
	}
}

// amountOf is how much an event, a transaction or a reward moves into or out of an account.
func amountOf(t testing.TB, fact apitest.Fields, cause, account, asset string) *big.Int {
	t.Helper()
	number := func(value any) *big.Int {
		n, ok := new(big.Int).SetString(fmt.Sprint(value), 10)
		if !ok {
			t.Fatalf("%s: %v is no amount, in %v", cause, value, fact)
		}
		return n
	}
	switch cause {
	case "fee":
		raw := must.Get(hex.DecodeString(strings.TrimPrefix(fact["raw_tx"].(string), "0x")))(t)
		tx := must.Get(signed.DecodeEnvelope(raw))(t)
		return new(big.Int).SetUint64(tx.Fee())
	case "miner_reward":
		sum := new(big.Int)
		for _, part := range []string{"coinbase_amount", "tx_fees_anchored", "tx_fees_streamed_confirmed", "tx_fees_streamed_produced"} {
			sum.Add(sum, number(fact[part]))
		}
		check.Equal[any](t, "a reward", fact["recipient"], account)
		return sum
	}
	event, ok := fact[cause].(apitest.Fields)
	if !ok || fact["type"] != cause || event["sender"] != account && event["recipient"] != account {
		t.Fatalf("got %v, want a %s of %s", fact, cause, account)
	}
	if identifier, ok := event["asset_identifier"]; ok && identifier != asset {
		t.Errorf("got %v, want one of %s", fact, asset)
	}
	if strings.HasPrefix(cause, "nft_") {
		return big.NewInt(1)
	}
	return number(event["amount"])
}

// The entries of the ledger stay where they are while others come: no page repeats or skips one.
func TestTracePagesOfLedgerStay(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	path := "/extended/v1/address/" + apitest.Alice + "/balances"
	before := s.Trace(path, 200)
	first := s.TracePage(path, "&limit=9") // the STX of 4 entries begin in it
	s.Change(5, 60, apitest.Alice, "stx", "stx", 1, 746, 300, 1001, 5, 50)
	s.Change(1, 60, apitest.Alice, apitest.Alice+".beta::beta", "ft", 3, 3, 0, 3, 0, 0)
	rest := s.TracePage(path, "&limit=200&cursor="+url.QueryEscape(*first.Cursor.Next))
	got, want := []string{}, []string{}
	for _, r := range append(first.Rows, rest.Rows...) {
		if strings.HasSuffix(r.Table, ".ledger") && r.Column("asset") != apitest.Alice+".beta::beta" {
			got = append(got, apitest.AsJSON(t, r.Key))
		}
	}
	for _, r := range before.In("balances.ledger") {
		want = append(want, apitest.AsJSON(t, r.Key))
	}
	check.EqualSlices(t, "rows", got, want)
	if n := before.In("balances.ledger")[0].Key["n"]; n != json.Number("4") {
		t.Errorf("got entry %v first, want the newest", n)
	}
}
