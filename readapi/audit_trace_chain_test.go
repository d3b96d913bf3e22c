package readapi_test

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
	"strata/internal/testkit/replay"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/readapi"
)

// madeUp is an API over a made-up chain with forks, and the truth about it.
func madeUp(t *testing.T) (*site, synthchain.State) {
	t.Helper()
	config := synthchain.Everything(5, synthchain.V30)
	config.SigningSample, config.Accounts = 1000, 12
	made := synthchain.New(config)
	log := replay.NewLog(t)
	var posts []replay.Post
	for range 300 {
		posts = append(posts, replay.Post(made.Next()))
	}
	replay.Append(t, log, posts...)
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Run(t, log, canonical, balances.New(nil))
	return newSiteOn(t, log.Pool(), readapi.Config{}), made.Expected()
}

// Each block of an answer is in the body of the event that its trace names.
func TestTraceOfBlocks(t *testing.T) {
	t.Parallel()
	s, truth := madeUp(t)
	if len(truth.Blocks) < 30 {
		t.Fatalf("got %d blocks", len(truth.Blocks))
	}
	check := func(path string, want []synthchain.BlockRef) {
		t.Helper()
		traced := s.trace(path, 7)
		blocks, canonical := traced.in("chain.block"), traced.in("chain.canonical")
		if len(blocks) != len(want) || len(canonical) != len(want) {
			t.Fatalf("%s: got %d blocks, %d of them canonical, want %d", path, len(blocks), len(canonical), len(want))
		}
		for i, b := range blocks {
			body := s.fact(b, "source_seq")
			if id := want[i].IndexHash.String(); body["index_block_hash"] != id || b.column("index_block_hash") != id || body["block_hash"] != b.column("block_hash") {
				t.Errorf("%s: block %d: got %v, of an event with %v, want %s", path, i, b.Values, body["index_block_hash"], id)
			}
			if canonical[i].column("block_seq") != b.column("source_seq") {
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
	s, truth := madeUp(t)
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
		decodeJSON(t, s.get(path).body, &answer)
		if want := fmt.Sprint(truth.Balances[account]); answer.Balance != want {
			t.Fatalf("%s: got %s, want %s", path, answer.Balance, want)
		}
		traced := s.trace(path, 9)
		if got := s.one(traced, "balances.holding"); got.column("balance") != answer.Balance {
			t.Errorf("%s: got %v", path, got)
		}
		s.entries(traced, account, "stx", answer.Balance, causes)
		if locks := traced.in("balances.stx_lock"); answer.Locked != "0" {
			lock := s.one(traced, "balances.stx_lock")
			if event := s.fact(lock, "source_seq")["stx_lock_event"].(fields); event["locked_address"] != account || event["locked_amount"] != answer.Locked {
				t.Errorf("%s: got lock %v of %v, want %s", path, lock, event, answer.Locked)
			}
		} else if len(locks) > 1 {
			t.Errorf("%s: got locks %v", path, locks)
		}
		short := strings.Replace(path, "/extended/v1/address/", "/extended/v2/addresses/", 1)
		if got := s.trace(strings.TrimSuffix(short, "/stx")+"/balances/stx", 200); asJSON(t, got.Rows) != asJSON(t, traced.Rows) {
			t.Errorf("%s: version 2 has other rows: %v", path, got.Rows)
		}
		s.assets(account, "", causes)
		s.assets(account, fmt.Sprintf("?until_block=%d", truth.Tip.Height/2), causes)
	}
	for _, cause := range []string{"stx_transfer_event", "fee", "miner_reward", "ft_transfer_event", "ft_mint_event", "nft_mint_event", "nft_transfer_event"} {
		if causes[cause] == 0 {
			t.Errorf("no change by %s was traced: %v", cause, causes)
		}
	}
}

// assets checks the trace of all that an account has at a block.
func (s *site) assets(account, query string, causes map[string]int) {
	s.t.Helper()
	path := "/extended/v1/address/" + account + "/balances" + query
	var answer struct {
		STX      struct{ Balance string }
		Fungible map[string]struct{ Balance string } `json:"fungible_tokens"`
		NFT      map[string]struct{ Count string }   `json:"non_fungible_tokens"`
	}
	got := s.get(path)
	if got.status != 200 {
		s.t.Fatalf("%s: got %d %s", path, got.status, got.body)
	}
	decodeJSON(s.t, got.body, &answer)
	traced := s.trace(path, 11)
	s.entries(traced, account, "stx", answer.STX.Balance, causes)
	for asset, has := range answer.Fungible {
		s.entries(traced, account, asset, has.Balance, causes)
	}
	for asset, has := range answer.NFT {
		s.entries(traced, account, asset, has.Count, causes)
	}
}

// entries checks the entries of the ledger of an account and an asset, the newest first, down to the first.
func (s *site) entries(traced traceOf, account, asset, balance string, causes map[string]int) {
	s.t.Helper()
	sum, n := new(big.Int), 0
	for _, e := range traced.in("balances.ledger") {
		if e.column("account") != account || e.column("asset") != asset {
			continue
		}
		if n == 0 && e.column("balance") != balance {
			s.t.Errorf("%s: the newest entry of %s is %v, want balance %s", traced.Path, asset, e, balance)
		}
		n++
		delta, _ := new(big.Int).SetString(e.column("delta"), 10)
		sum.Add(sum, delta)
		cause := e.column("cause")
		causes[cause]++
		fact := s.fact(e, "source_seq")
		if got := amountOf(s.t, fact, cause, account, asset); got.CmpAbs(delta) != 0 {
			s.t.Errorf("%s: entry %v: got %s of %v, want %s", traced.Path, e, got, fact, delta)
		}
	}
	if sum.String() != balance {
		s.t.Errorf("%s: %d changes of %s add up to %s, want %s", traced.Path, n, asset, sum, balance)
	}
}

// amountOf is how much an event, a transaction or a reward moves into or out of an account.
func amountOf(t testing.TB, fact fields, cause, account, asset string) *big.Int {
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
		raw, err := hex.DecodeString(strings.TrimPrefix(fact["raw_tx"].(string), "0x"))
		if err != nil {
			t.Fatal(err)
		}
		tx, err := signed.DecodeEnvelope(raw)
		if err != nil {
			t.Fatal(err)
		}
		return new(big.Int).SetUint64(tx.Fee())
	case "miner_reward":
		sum := new(big.Int)
		for _, part := range []string{"coinbase_amount", "tx_fees_anchored", "tx_fees_streamed_confirmed", "tx_fees_streamed_produced"} {
			sum.Add(sum, number(fact[part]))
		}
		if fact["recipient"] != account {
			t.Errorf("got a reward of %v, want %s", fact["recipient"], account)
		}
		return sum
	}
	event, ok := fact[cause].(fields)
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
	s := newWorld(t)
	path := "/extended/v1/address/" + alice + "/balances"
	before := s.trace(path, 200)
	first := s.tracePage(path, "&limit=9") // the STX of 4 entries begin in it
	s.change(5, 60, alice, "stx", "stx", 1, 746, 300, 1001, 5, 50)
	s.change(1, 60, alice, alice+".beta::beta", "ft", 3, 3, 0, 3, 0, 0)
	rest := s.tracePage(path, "&limit=200&cursor="+url.QueryEscape(*first.Cursor.Next))
	got, want := []string{}, []string{}
	for _, r := range append(first.Rows, rest.Rows...) {
		if strings.HasSuffix(r.Table, ".ledger") && r.column("asset") != alice+".beta::beta" {
			got = append(got, asJSON(t, r.Key))
		}
	}
	for _, r := range before.in("balances.ledger") {
		want = append(want, asJSON(t, r.Key))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := before.in("balances.ledger")[0].Key["n"]; n != json.Number("4") {
		t.Errorf("got entry %v first, want the newest", n)
	}
}
