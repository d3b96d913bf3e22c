package rosetta_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
	"strata/rig/replay"
)

// tokenContract is a contract with a fungible token.
var tokenContract = address(bob) + ".token"

const poxContract = "ST000000000000000000002AMW42H.pox-4"

// dance is a chain in which everything that changes balances happens:
//
//	0  mints to alice, bob and carol
//	1  alice pays bob 3852 with a memo, fee 180; a coinbase
//	2  a call of bob's fails, fee 50; carol sponsors alice's transfer, fee 7; the token is minted and burned; bob's STX are burned by alice's call
//	3  alice locks 1000 until Bitcoin block 300
//	4  alice locks 400 more; a reward of 55 matures; no coinbase
//	5  Bitcoin block 300: the lock is over; no coinbase and no transaction
func dance(t *testing.T) []replay.Post {
	sponsored := must.Get(transaction.Draft{Network: transaction.Testnet, Nonce: 1, Sponsored: true}.TokenTransfer(addressOf(bob), 10, ""))(t)
	sponsored.Sponsor.Fee = 7
	raw := sign(t, alice, sponsored, nil)
	whole := must.Get(transaction.Decode(raw))(t)
	must.Do(t, transaction.SignSponsor(whole, carol))
	failed := call(t, bob, 0, 50, tokenContract, "fail", nil)
	failed.status = "abort_by_response"
	ft := func(kind, party string, amount int) event {
		return event{kind, map[string]any{"asset_identifier": tokenContract + "::nyc", party: address(alice), "amount": fmt.Sprint(amount)}}
	}
	blocks := []newBlock{
		{name: "0", parent: "none", height: 0, burnHeight: 100, transactions: []mined{{raw: bootTransaction(t), events: []event{
			minted(address(alice), 1_000_000), minted(address(bob), 2_000_000), minted(address(carol), 3_000_000),
		}}}},
		{name: "1", height: 1, burnHeight: 101, transactions: []mined{coinbase(t, carol, 0), paid(t, alice, 0, 180, address(bob), 3852, "test1234")}},
		{name: "2", height: 2, burnHeight: 102, transactions: []mined{
			coinbase(t, carol, 1), failed, {raw: whole.Encode(), events: []event{moved(address(alice), address(bob), 10)}},
			call(t, alice, 2, 3, tokenContract, "mint", nil, ft("ft_mint_event", "recipient", 500), ft("ft_burn_event", "sender", 100),
				event{"stx_burn_event", map[string]any{"sender": address(bob), "amount": "25"}}),
		}},
		{name: "3", height: 3, burnHeight: 103, transactions: []mined{coinbase(t, carol, 2), call(t, alice, 3, 1, poxContract, "stack-stx", stackArguments(t, 1000), locked(address(alice), 1000, 300))}},
		{name: "4", height: 4, burnHeight: 104, nakamoto: true,
			transactions: []mined{call(t, alice, 4, 1, poxContract, "stack-increase", []clarity.Value{clarity.NewUint64(400)}, locked(address(alice), 1400, 300))},
			rewards:      []map[string]any{{"recipient": address(carol), "coinbase_amount": "50", "tx_fees_anchored": "5", "tx_fees_streamed_confirmed": "0", "tx_fees_streamed_produced": "0"}}},
		{name: "5", height: 5, burnHeight: 300, nakamoto: true},
	}
	return linked(t, blocks)
}

// linked are the posts of blocks of which each is the parent of the next.
func linked(t *testing.T, blocks []newBlock) (posts []replay.Post) {
	t.Helper()
	for i := range blocks {
		if i > 0 {
			blocks[i].parent = blocks[i-1].name
		}
		posts = append(posts, blocks[i].post(t))
	}
	return posts
}

func stackArguments(t *testing.T, amount uint64) []clarity.Value {
	t.Helper()
	version := must.Get(clarity.NewBuffer([]byte{0}))(t)
	digest := must.Get(clarity.NewBuffer(make([]byte, 20)))(t)
	address := must.Get(clarity.NewTuple(clarity.Field{Name: "version", Value: version}, clarity.Field{Name: "hashbytes", Value: digest}))(t)
	return []clarity.Value{clarity.NewUint64(amount), address, clarity.NewUint64(103), clarity.NewUint64(1)}
}

// bootTransaction is a transaction of the boot address, as in the genesis block.
func bootTransaction(t *testing.T) []byte {
	t.Helper()
	tx := must.Get(transaction.Draft{Network: transaction.Testnet}.TokenTransfer(addressOf(alice), 0, ""))(t)
	return tx.Encode()
}

// operations returns a block's operations as text, transaction by transaction.
func operations(block *types.Block) (all [][]string) {
	names := map[string]string{address(alice): "alice", address(bob): "bob", address(carol): "carol"}
	for _, tx := range block.Transactions {
		var shown []string
		for _, op := range tx.Operations {
			text := op.Type
			if op.Status != nil && *op.Status != "success" {
				text += "/" + *op.Status
			}
			if op.Account != nil {
				text += " " + names[op.Account.Address]
			}
			if op.Amount != nil {
				text += " " + op.Amount.Value
				if op.Amount.Currency.Symbol != "STX" {
					text += " " + op.Amount.Currency.Symbol
				}
			}
			shown = append(shown, text)
		}
		all = append(all, shown)
	}
	return all
}

func TestOperations(t *testing.T) {
	t.Parallel()
	legacy, mesh := sitesOf(t, dance(t)...)
	for _, tt := range []struct {
		site  *site
		index int64
		want  [][]string
	}{
		{legacy, 1, [][]string{
			{"fee  0", "token_transfer  0", "token_transfer alice 0", "mint alice 1000000", "mint bob 2000000", "mint carol 3000000"},
			{"coinbase carol"},
			{"fee alice -180", "token_transfer alice -3852", "token_transfer bob 3852"},
		}},
		{legacy, 2, [][]string{
			{"coinbase carol"},
			{"fee bob -50", "contract_call/abort_by_response bob"},
			{"fee carol -7", "token_transfer alice -10", "token_transfer bob 10"},
			{"fee alice -3", "contract_call alice", "mint alice 500 nyc", "burn alice -100 nyc", "burn bob -25"},
		}},
		{mesh, 2, [][]string{
			{"coinbase carol"},
			{"fee bob -50", "contract_call/abort_by_response bob"},
			{"fee carol -7", "token_transfer alice -10", "token_transfer bob 10"},
			{"fee alice -3", "contract_call alice", "token_mint alice 500 nyc", "token_burn alice -100 nyc", "token_burn bob -25"},
		}},
		{legacy, 3, [][]string{{"coinbase carol"}, {"fee alice -1", "stack_stx alice", "stx_lock alice -1000"}}},
		{mesh, 3, [][]string{{"coinbase carol"}, {"fee alice -1", "contract_call alice", "stx_lock alice -1000"}}},
		{legacy, 4, [][]string{{"fee alice -1", "contract_call alice", "stx_lock alice -400"}, {"miner_reward carol 55"}}},
		{mesh, 5, [][]string{{"stx_unlock alice 1400"}}},
	} {
		block := ask[types.BlockResponse](tt.site, "/block", at(tt.index)).Block
		if got := operations(block); !slices.EqualFunc(got, tt.want, slices.Equal) {
			t.Errorf("%s, block %d: got %q, want %q", tt.site.prefix, tt.index, got, tt.want)
		}
		for i, tx := range block.Transactions { // the same one by one
			alone := ask[types.BlockTransactionResponse](tt.site, "/block/transaction", at(tt.index, "transaction_identifier", named(tx.TransactionIdentifier.Hash))).Transaction
			if types.Hash(alone) != types.Hash(tx) {
				t.Errorf("%s, block %d: transaction %d alone is %s, in the block %s", tt.site.prefix, tt.index, i, types.PrintStruct(alone), types.PrintStruct(tx))
			}
		}
	}
	for _, s := range []*site{legacy, mesh} {
		newChecker(s).check()
	}
	if got := ask[types.BlockResponse](mesh, "/block", at(5)).Block; got.Transactions[0].TransactionIdentifier.Hash != indexHash("5").String() {
		t.Errorf("the transaction that has what none did: got %s, want the block's hash", got.Transactions[0].TransactionIdentifier.Hash)
	}
	transfer := ask[types.BlockResponse](legacy, "/block", at(1)).Block.Transactions[2]
	if transfer.Metadata["memo"] != "test1234" || transfer.Operations[2].Metadata["memo"] != "test1234" || transfer.Operations[2].RelatedOperations[0].Index != 1 ||
		transfer.Operations[1].CoinChange.CoinIdentifier.Identifier != transfer.TransactionIdentifier.Hash+":1" {
		t.Errorf("transfer: got %s", types.PrintStruct(transfer))
	}
	call := ask[types.BlockResponse](legacy, "/block", at(3)).Block.Transactions[1].Operations[1]
	if call.Metadata["amount_ustx"] != "1000" || call.Metadata["lock_period"] != "1" || !strings.HasPrefix(fmt.Sprint(call.Metadata["pox_addr"]), "m") {
		t.Errorf("stack_stx: got %v", call.Metadata)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	legacy, mesh := sitesOf(t, dance(t)...)
	status := ask[types.NetworkStatusResponse](legacy, "/network/status", map[string]any{})
	if status.CurrentBlockIdentifier.Index != 5 || status.GenesisBlockIdentifier.Index != 1 || status.CurrentBlockIdentifier.Hash != blockHash("5").String() ||
		status.CurrentBlockTimestamp != 1_700_000_005_000 || !*status.SyncStatus.Synced {
		t.Errorf("status: got %s", types.PrintStruct(status))
	}
	first := ask[types.BlockResponse](legacy, "/block", at(1)).Block
	if types.Hash(first.ParentBlockIdentifier) != types.Hash(first.BlockIdentifier) || first.Timestamp != 1_600_000_101_000 {
		t.Errorf("first block: got %s", types.PrintStruct(first))
	}
	for _, tt := range []struct {
		site *site
		id   map[string]any
		want string // name of the block, or an error
	}{
		{legacy, map[string]any{}, "5"}, {mesh, map[string]any{}, "5"},
		{legacy, map[string]any{"index": 0}, "5"}, {mesh, map[string]any{"index": 0}, "100"}, {mesh, map[string]any{"index": -1}, "101"},
		{legacy, map[string]any{"index": 6}, "605"}, {mesh, map[string]any{"index": 6}, "100"},
		{legacy, named(blockHash("3").String()), "3"}, {mesh, named(blockHash("3").String()), "3"},
		{legacy, named(indexHash("3").String()), "3"}, {mesh, named(strings.TrimPrefix(indexHash("3").String(), "0x")), "3"},
		{legacy, named("afd"), "606"}, {mesh, named("xyz"), "101"}, {legacy, named("0x123456"), "605"},
		{mesh, map[string]any{"index": 2, "hash": indexHash("3").String()}, "102"}, {mesh, map[string]any{"index": 3, "hash": indexHash("3").String()}, "3"},
	} {
		request := map[string]any{"block_identifier": tt.id}
		if len(tt.want) == 3 {
			check.Equal(t, fmt.Sprintf("%s %v: the error", tt.site.prefix, tt.id), fmt.Sprint(tt.site.failure("/block", request)), tt.want)
			continue
		}
		want := blockHash(tt.want).String()
		if tt.site == mesh {
			want = indexHash(tt.want).String()
		}
		check.Equal(t, fmt.Sprintf("%s %v: block", tt.site.prefix, tt.id), ask[types.BlockResponse](tt.site, "/block", request).Block.BlockIdentifier.Hash, want)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	legacy, mesh := sitesOf(t, dance(t)...)
	network := func(blockchain, name string) map[string]any {
		return map[string]any{"network_identifier": map[string]any{"blockchain": blockchain, "network": name}}
	}
	account := func(text string, more ...any) map[string]any {
		return with(map[string]any{"account_identifier": map[string]any{"address": text}}, more...)
	}
	for _, tt := range []struct {
		site    *site
		path    string
		request map[string]any
		want    int
	}{
		{legacy, "/network/status", network("bitcoin", "testnet"), 611}, {legacy, "/network/status", network("stacks", "mainnet"), 610},
		{mesh, "/network/status", network("stacks", "mainnet"), 1}, {legacy, "/network/options", map[string]any{"network_identifier": nil}, 613},
		{legacy, "/network/options", map[string]any{"network_identifier": map[string]any{}}, 617}, {mesh, "/network/options", map[string]any{"network_identifier": nil}, 902},
		{legacy, "/block", map[string]any{}, 615}, {legacy, "/network/status", map[string]any{"more": 1}, 612},
		{legacy, "/block/transaction", map[string]any{"block_identifier": map[string]any{"index": 1}, "transaction_identifier": named("3")}, 608},
		{legacy, "/block/transaction", map[string]any{"block_identifier": map[string]any{"index": 1}, "transaction_identifier": named("0x" + strings.Repeat("ab", 32))}, 607},
		{mesh, "/block/transaction", map[string]any{"block_identifier": map[string]any{"index": 1}, "transaction_identifier": named("0x" + strings.Repeat("ab", 32))}, 200},
		{legacy, "/account/balance", account("KK"), 601}, {mesh, "/account/balance", account("KK"), 300}, {legacy, "/account/balance", map[string]any{}, 609},
		{legacy, "/account/balance", account(address(alice), "block_identifier", named("afd")), 606},
		{legacy, "/account/balance", account(address(alice), "block_identifier", named("0x123456")), 605},
		{legacy, "/account/balance", account(address(alice), "block_identifier", map[string]any{"index": 2, "hash": blockHash("3").String()}), 606},
		{legacy, "/account/balance", map[string]any{"account_identifier": map[string]any{"address": address(alice), "sub_account": map[string]any{"address": "other"}}}, 641},
		{mesh, "/account/coins", account(address(alice)), 901}, {legacy, "/account/coins", account(address(alice)), 646},
		{legacy, "/mempool/transaction", map[string]any{"transaction_identifier": named("0x" + strings.Repeat("ab", 32))}, 607},
		{mesh, "/call", map[string]any{"method": "other", "parameters": map[string]any{"deployer_address": address(alice), "contract_name": "c"}}, 901},
		{mesh, "/search/transactions", map[string]any{"type": "fee"}, 901},
	} {
		check.Equal(t, fmt.Sprintf("%s%s %v: the error", tt.site.prefix, tt.path, tt.request), tt.site.failure(tt.path, tt.request), tt.want)
	}
	empty := httptest.NewRecorder()
	legacy.handler.ServeHTTP(empty, httptest.NewRequestWithContext(t.Context(), http.MethodPost, rosetta.LegacyPath+"/block", http.NoBody))
	if empty.Code != http.StatusInternalServerError || !strings.Contains(empty.Body.String(), `"code":612`) {
		t.Errorf("no body: got %d %s", empty.Code, empty.Body)
	}
	if list := ask[types.NetworkListResponse](legacy, "/network/list", nil); list.NetworkIdentifiers[0].Network != "testnet" {
		t.Errorf("list: got %s", types.PrintStruct(list))
	}
}

// A body that no retry can improve is a bad request in the words of the standard.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	fold(t, log, dance(t)...)
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	must.Get(z.Write([]byte(`{"network_identifier":{"blockchain":"stacks","network":"testnet"}}`)))(t)
	must.Do(t, z.Close())
	deep := `{"network_identifier":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	for _, dialect := range []struct {
		prefix        string
		syntax, shape int
	}{{rosetta.LegacyPath, 609, 612}, {rosetta.MeshPath, 902, 902}} {
		s := newSite(t, log, "testnet", dialect.prefix, rosetta.Config{})
		for _, tt := range []struct {
			body, encoding string
			want           int
		}{
			{body: `{"network_identifier":`, want: dialect.syntax}, {body: `{} x`, want: dialect.syntax}, {body: "\x00", want: dialect.syntax},
			{body: deep, want: dialect.syntax}, {body: compressed.String(), encoding: "gzip", want: dialect.syntax},
			{body: ``, want: dialect.shape}, {body: `[]`, want: dialect.shape}, {body: `null`, want: dialect.shape}, {body: `{"network_identifier":[[[]]]}`, want: dialect.shape},
		} {
			for _, path := range []string{"/network/status", "/construction/parse"} {
				want := tt.want
				if path == "/construction/parse" && tt.body == `{"network_identifier":[[[]]]}` {
					want = dialect.syntax // a missing member comes first
				}
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, dialect.prefix+path, strings.NewReader(tt.body))
				r.Header.Set("Content-Type", "application/json")
				if tt.encoding != "" {
					r.Header.Set("Content-Encoding", tt.encoding)
				}
				w := httptest.NewRecorder()
				s.handler.ServeHTTP(w, r)
				var failed types.Error
				if err := json.Unmarshal(w.Body.Bytes(), &failed); err != nil || w.Code != http.StatusInternalServerError || int(failed.Code) != want || failed.Retriable {
					t.Errorf("%s%s %.30q: got %d %s, want error %d, not retriable", dialect.prefix, path, tt.body, w.Code, w.Body, want)
				}
			}
		}
	}
}

func TestBalances(t *testing.T) {
	t.Parallel()
	legacy, _ := sitesOf(t, dance(t)...)
	for _, tt := range []struct {
		account, part string
		index         int64
		stx           string
		nonce         float64
		tokens        string
	}{
		{address(alice), "", 1, "995968", 1, ""},
		{address(alice), "", 2, "995955", 3, "400 nyc"},
		{address(alice), "", 3, "994954", 4, "400 nyc"},
		{address(alice), "StackedBalance", 3, "1000", 4, ""},
		{address(alice), "locked", 4, "1400", 5, ""},
		{address(alice), "SpendableBalance", 4, "994553", 5, ""},
		{address(alice), "", 5, "995953", 5, "400 nyc"},
		{address(alice), "StackedBalance", 5, "0", 5, ""},
		{address(alice), "VestingLockedBalance", 5, "0", 5, ""},
		{address(carol), "", 4, "3000048", 3, ""},
		{"ST000000000000000000002AMW42H", "", 2, "0", 0, ""},
	} {
		id := map[string]any{"address": tt.account}
		if tt.part != "" {
			id["sub_account"] = map[string]any{"address": tt.part}
		}
		answer := ask[types.AccountBalanceResponse](legacy, "/account/balance", at(tt.index, "account_identifier", id))
		tokens := ""
		for _, b := range answer.Balances[1:] {
			tokens += b.Value + " " + b.Currency.Symbol
		}
		if answer.Balances[0].Value != tt.stx || answer.Metadata["sequence_number"] != tt.nonce || answer.Metadata["nonce"] != tt.nonce || tokens != tt.tokens {
			t.Errorf("%s %s at %d: got %s, want %s, nonce %v, %q", tt.account, tt.part, tt.index, types.PrintStruct(answer), tt.stx, tt.nonce, tt.tokens)
		}
	}
}

// TestEvents checks that the list of blocks that came and went has no gaps, and leads to the canonical chain.
func TestEvents(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	posts := dance(t)
	fold(t, log, posts[:4]...)
	fold(t, log, newBlock{name: "3'", parent: "2", height: 3, burnHeight: 105}.post(t), newBlock{name: "4'", parent: "3'", height: 4, burnHeight: 106}.post(t))
	mesh := newSite(t, log, "testnet", rosetta.MeshPath, rosetta.Config{})
	all := ask[types.EventsBlocksResponse](mesh, "/events/blocks", map[string]any{"offset": 0})
	var got []string
	for i, e := range all.Events {
		check.Equal(t, "the number of an event", e.Sequence, int64(i))
		got = append(got, fmt.Sprintf("%s %d", e.Type, e.BlockIdentifier.Index))
	}
	want := []string{"block_added 0", "block_added 1", "block_added 2", "block_added 3", "block_removed 3", "block_added 3", "block_added 4"}
	if !slices.Equal(got, want) || all.MaxSequence != int64(len(want)-1) {
		t.Errorf("got %q, highest %d, want %q", got, all.MaxSequence, want)
	}
	last := ask[types.EventsBlocksResponse](mesh, "/events/blocks", map[string]any{"limit": 2})
	if len(last.Events) != 2 || last.Events[1].Sequence != all.MaxSequence {
		t.Errorf("the last two: got %s", types.PrintStruct(last))
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	_, mesh := sitesOf(t, dance(t)...)
	id, next := paid(t, alice, 0, 180, address(bob), 3852, "test1234").id(), int64(3)
	for _, tt := range []struct {
		name    string
		request map[string]any
		heights []int64 // not compared if nil
		total   int64
		next    *int64
	}{
		{"of bob", map[string]any{"address": address(bob)}, []int64{2, 2, 2, 1, 1}, 5, nil},
		{"a page of bob", map[string]any{"address": address(bob), "limit": 2, "offset": 1}, []int64{2, 2}, 5, &next},
		{"of bob up to block 1", map[string]any{"account_identifier": map[string]any{"address": address(bob)}, "max_block": 1}, []int64{1, 1}, 2, nil},
		{"by id", map[string]any{"transaction_identifier": named(id.String())}, []int64{1}, 1, nil},
		{"all", map[string]any{}, nil, 10, nil},
	} {
		answer := ask[types.SearchTransactionsResponse](mesh, "/search/transactions", tt.request)
		var heights []int64
		for _, found := range answer.Transactions {
			heights = append(heights, found.BlockIdentifier.Index)
		}
		if tt.heights != nil && !slices.Equal(heights, tt.heights) || answer.TotalCount != tt.total || tt.next != nil && (answer.NextOffset == nil || *answer.NextOffset != *tt.next) {
			t.Errorf("%s: got %v of %d", tt.name, heights, answer.TotalCount)
		}
	}
}

func TestMempool(t *testing.T) {
	t.Parallel()
	waiting := paid(t, alice, 9, 180, address(bob), 5, "hello")
	legacy, _ := sitesOf(t, append(dance(t), replay.Post{Path: "/new_mempool_tx", Body: []byte(`["0x` + hex.EncodeToString(waiting.raw) + `"]`)})...)
	list := ask[types.MempoolResponse](legacy, "/mempool", map[string]any{})
	if len(list.TransactionIdentifiers) != 1 || list.TransactionIdentifiers[0].Hash != waiting.id().String() {
		t.Errorf("mempool: got %s", types.PrintStruct(list))
	}
	tx := ask[types.MempoolTransactionResponse](legacy, "/mempool/transaction", map[string]any{"transaction_identifier": named(waiting.id().String())}).Transaction
	if len(tx.Operations) != 3 || *tx.Operations[0].Status != "pending" || tx.Operations[2].Amount.Value != "5" || tx.Metadata["memo"] != "hello" {
		t.Errorf("transaction: got %s", types.PrintStruct(tx))
	}
}
