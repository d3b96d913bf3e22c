package rosetta_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/token"
	"strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
	"strata/rig/replay"
)

// sendMany is the contract of the testnet that pays many recipients with a memo for each.
const sendMany = "ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo"

// gala is a chain with a transaction of each kind that stacks-blockchain-api has a test for:
//
//	0  mints to alice, bob and carol
//	1  a coinbase with an alternative recipient; bob deploys the token, which pays carol with a memo
//	2  tenure changes for all causes
//	3  alice calls the token: it is minted, moved to bob and burned; carol delegates to bob
//	4  bob pays many with memos, and one with a memo
func gala(t *testing.T) []replay.Post {
	t.Helper()
	send := func(from, to string, amount uint64, memo string) event {
		e := moved(from, to, amount)
		e.members["memo"] = memo
		return e
	}
	ft := func(kind, sender, recipient string, amount int) event {
		members := map[string]any{"asset_identifier": tokenContract + "::nyc", "amount": fmt.Sprint(amount)}
		if sender != "" {
			members["sender"] = sender
		}
		if recipient != "" {
			members["recipient"] = recipient
		}
		return event{kind, members}
	}
	alternative, err := draft(0, 0).Transaction(&transaction.CoinbaseToAltRecipient{Data: transaction.CoinbaseData{1}, Recipient: addressOf(bob)})
	minted0 := []event{minted(address(alice), 1_000_000), minted(address(bob), 2_000_000), minted(address(carol), 3_000_000)}
	blocks := []newBlock{
		{name: "0", parent: "none", height: 0, burnHeight: 100, transactions: []mined{{raw: bootTransaction(t), events: minted0}}},
		{name: "1", height: 1, burnHeight: 101, transactions: []mined{{raw: sign(t, carol, alternative, err)}}},
		{name: "2", height: 2, burnHeight: 102, nakamoto: true},
		{name: "3", height: 3, burnHeight: 103, nakamoto: true},
		{name: "4", height: 4, burnHeight: 104, nakamoto: true},
	}
	deploy, err := draft(0, 30).Transaction(&transaction.VersionedSmartContract{
		ClarityVersion: 2, SmartContract: transaction.SmartContract{ContractName: "token", Code: []byte("(define-fungible-token nyc)")},
	})
	blocks[1].transactions = append(blocks[1].transactions, mined{
		raw: sign(t, bob, deploy, err), events: []event{send(address(bob), address(carol), 40, "74657374206d656d6f206669656c64000000")},
		functions: []any{map[string]any{
			"name": "test-contract-fn", "access": "public", "outputs": map[string]any{"type": "bool"},
			"args": []any{map[string]any{"name": "amount", "type": "uint128"}, map[string]any{"name": "desc", "type": map[string]any{"string-ascii": map[string]any{"length": 20}}}},
		}},
	})
	for cause := range transaction.TenureCause(7) {
		change, err := draft(1+uint64(cause), 0).Transaction(&transaction.TenureChange{
			ConsensusHash: hash.Hash20{1}, PrevConsensusHash: hash.Hash20{2}, BurnViewConsensusHash: hash.Hash20{3}, PreviousEnd: hash.Hash32{4}, PreviousBlocks: 5,
			Cause: cause, PubkeyHash: hash.Hash20{6},
		})
		blocks[2].transactions = append(blocks[2].transactions, mined{raw: sign(t, carol, change, err)})
	}
	named := []clarity.Value{clarity.NewUint64(123456), must.Get(clarity.NewASCII("hello"))(t)}
	delegated := []clarity.Value{clarity.NewUint64(500), must.Get(clarity.NewPrincipal(addressOf(bob)))(t), clarity.NewNone(), clarity.NewSome(stackArguments(t, 1)[1])}
	blocks[3].transactions = []mined{
		call(t, alice, 0, 5, tokenContract, "test-contract-fn", named, ft("ft_mint_event", "", address(alice), 10_000),
			ft("ft_transfer_event", address(alice), address(bob), 7500), ft("ft_burn_event", address(alice), "", 100)),
		call(t, carol, 8, 5, poxContract, "delegate-stx", delegated),
	}
	paid := func(memo string) clarity.Value {
		return must.Get(clarity.NewTuple(
			clarity.Field{Name: "to", Value: must.Get(clarity.NewPrincipal(addressOf(carol)))(t)}, clarity.Field{Name: "ustx", Value: clarity.NewUint64(7)},
			clarity.Field{Name: "memo", Value: must.Get(clarity.NewBuffer([]byte(memo)))(t)},
		))(t)
	}
	printed := event{"contract_event", map[string]any{"contract_identifier": sendMany, "topic": "print", "raw_value": "0x0d00000001" + "61"}}
	blocks[4].transactions = []mined{
		call(t, bob, 1, 5, sendMany, "send-many", []clarity.Value{must.Get(clarity.NewList(paid("memo-1"), paid("memo-2"), paid("")))(t)},
			moved(address(bob), address(carol), 7), printed, moved(address(bob), address(carol), 7), printed, moved(address(bob), address(carol), 7), printed),
		call(t, bob, 2, 5, sendMany, "send-stx-with-memo", []clarity.Value{clarity.NewUint64(7), must.Get(clarity.NewPrincipal(addressOf(carol)))(t), must.Get(clarity.NewBuffer([]byte("memo-1")))(t)},
			moved(address(bob), address(carol), 7), printed),
	}
	return append([]replay.Post{currencyOf(t, tokenContract, "NYC", 0)}, linked(t, blocks)...)
}

// currencyOf is what a node said of a fungible token when it was asked.
func currencyOf(t *testing.T, contract, symbol string, decimals uint64) replay.Post {
	t.Helper()
	r := &fetch.Report{
		Want:    fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: token.Calls(token.FT, nil)},
		Attempt: 1, Tip: &fetch.Tip{Height: 1, IndexBlockHash: hash.Hash32{1}}, StartedAt: time.Unix(1, 0).UTC(), FinishedAt: time.Unix(2, 0).UTC(),
	}
	for i, c := range r.Want.Calls {
		value := clarity.NewOk(clarity.NewNone())
		switch c.Function {
		case "get-symbol", "get-name":
			value = clarity.NewOk(must.Get(clarity.NewASCII(symbol))(t))
		case "get-decimals", "get-total-supply":
			value = clarity.NewOk(clarity.NewUint64(decimals))
		}
		body := fmt.Sprintf(`{"okay":true,"result":"%s"}`, value.Hex())
		r.Exchanges = append(r.Exchanges, fetch.Exchange{Call: i, Method: "POST", URL: "http://node/", Status: 200, Body: []byte(body)})
	}
	return replay.Post{Path: fetch.PathReport, Body: must.Get(r.Encode())(t)}
}

// remembered returns the operations of a transaction as text, with their memos.
func remembered(tx *types.Transaction) []string {
	shown := operations(&types.Block{Transactions: []*types.Transaction{tx}})[0]
	for i, op := range tx.Operations {
		if memo, ok := op.Metadata["memo"].(string); ok {
			shown[i] += fmt.Sprintf(" %q", memo)
		}
	}
	return shown
}

// TestTable has the cases of stacks-blockchain-api for blocks and their transactions, in both dialects.
func TestTable(t *testing.T) {
	t.Parallel()
	legacy, mesh := sitesOf(t, gala(t)...)
	of := func(s *site, index int64) []*types.Transaction {
		return ask[types.BlockResponse](s, "/block", at(index)).Block.Transactions
	}
	for _, tt := range []struct {
		name string
		tx   *types.Transaction
		want []string
	}{
		{"an alternative recipient", of(legacy, 1)[1], []string{"coinbase carol"}},
		{"a deployment with a transfer", of(legacy, 1)[2], []string{"fee bob -30", "smart_contract bob", `token_transfer bob -40 "test memo field"`, `token_transfer carol 40 "test memo field"`}},
		{"the same under mesh", of(mesh, 1)[2], []string{"fee bob -30", "contract_deploy bob", `token_transfer bob -40 "test memo field"`, `token_transfer carol 40 "test memo field"`}},
		{"a fungible token", of(legacy, 3)[0], []string{
			"fee alice -5", "contract_call alice", "mint alice 10000 NYC", "token_transfer alice -7500 NYC", "token_transfer bob 7500 NYC", "burn alice -100 NYC",
		}},
		{"memos for many", of(legacy, 4)[0], []string{
			"fee bob -5", "contract_call bob", `token_transfer bob -7 "memo-1"`, `token_transfer carol 7 "memo-1"`,
			`token_transfer bob -7 "memo-2"`, `token_transfer carol 7 "memo-2"`, `token_transfer bob -7 ""`, `token_transfer carol 7 ""`,
		}},
		{"a memo for one", of(legacy, 4)[1], []string{"fee bob -5", "contract_call bob", `token_transfer bob -7 "memo-1"`, `token_transfer carol 7 "memo-1"`}},
	} {
		check.EqualSlices(t, tt.name, remembered(tt.tx), tt.want)
	}
	check.Equal[any](t, "alternative recipient", of(mesh, 1)[1].Operations[0].Metadata["alt_recipient"], address(bob))
	for _, s := range []*site{legacy, mesh} {
		for i, cause := range []string{"block_found", "extended", "extended_runtime", "extended_read_count", "extended_read_length", "extended_write_count", "extended_write_length"} {
			tx := of(s, 2)[i]
			if len(tx.Operations) != 1 || tx.Operations[0].Account != nil || tx.Operations[0].Amount != nil {
				t.Fatalf("%s: tenure change: got %s", s.prefix, types.PrintStruct(tx))
			}
			m := tx.Operations[0].Metadata
			if m["cause"] != cause || m["previous_tenure_blocks"] != float64(5) || m["tenure_consensus_hash"] != (hash.Hash20{1}).String() || m["pubkey_hash"] != (hash.Hash20{6}).String() {
				t.Errorf("%s: tenure change: got %v, want cause %s", s.prefix, m, cause)
			}
		}
	}
	called := of(legacy, 3)[0]
	got := types.PrintStruct(called.Operations[1].Metadata)
	want := types.PrintStruct(map[string]any{
		"contract_id": tokenContract, "function_name": "test-contract-fn", "function_signature": "(define-public (test-contract-fn (amount uint) (desc (string-ascii 20))))",
		"function_args": []any{
			map[string]any{"hex": "0x010000000000000000000000000001e240", "repr": "u123456", "name": "amount", "type": "uint"},
			map[string]any{"hex": "0x0d0000000568656c6c6f", "repr": `"hello"`, "name": "desc", "type": "(string-ascii 20)"},
		},
	})
	check.Equal(t, "call", got, want)
	moves := called.Operations[3:5]
	if moves[0].CoinChange.CoinIdentifier.Identifier != called.TransactionIdentifier.Hash+":3" || moves[1].CoinChange.CoinAction != types.CoinCreated ||
		moves[0].Amount.Metadata["token_type"] != "ft" || moves[1].RelatedOperations[0].Index != 3 {
		t.Errorf("transfer of a token: got %s", types.PrintStruct(moves))
	}
	delegation := of(legacy, 3)[1].Operations[1]
	if m := delegation.Metadata; delegation.Type != "delegate_stx" || m["amount_ustx"] != "500" || m["delegate_to"] != address(bob) || m["until_burn_height"] != "none" ||
		!strings.HasPrefix(fmt.Sprint(m["pox_addr"]), "0x0c00000002") || !strings.HasPrefix(fmt.Sprint(m["pox_addr_btc"]), "m") {
		t.Errorf("delegation: got %s", types.PrintStruct(delegation))
	}
	for _, request := range []map[string]any{{}, at(4)} {
		request["account_identifier"] = map[string]any{"address": address(bob)}
		var shown []string
		for _, b := range ask[types.AccountBalanceResponse](legacy, "/account/balance", request).Balances {
			shown = append(shown, b.Value+" "+b.Currency.Symbol)
		}
		check.EqualSlices(t, "balances", shown, []string{"1999892 STX", "7500 NYC"})
	}
	for _, s := range []*site{legacy, mesh} {
		newChecker(s).check()
	}
}

// TestNetwork has the cases for the network, and for requests without a member.
func TestNetwork(t *testing.T) {
	t.Parallel()
	legacy, _ := withNode(t, rosetta.LegacyPath)
	options := ask[types.NetworkOptionsResponse](legacy, "/network/options", map[string]any{})
	codes := map[int32]bool{}
	for _, e := range options.Allow.Errors {
		codes[e.Code] = e.Message != "" && e.Details == nil
	}
	for code := int32(601); code <= 645; code++ {
		if !codes[code] {
			t.Errorf("error %d is not listed", code)
		}
	}
	var statuses []string
	for _, s := range options.Allow.OperationStatuses {
		statuses = append(statuses, s.Status)
	}
	if options.Version.RosettaVersion != "1.4.6" || len(options.Allow.OperationTypes) != 15 || !options.Allow.HistoricalBalanceLookup ||
		strings.Join(statuses, " ") != "success pending abort_by_response abort_by_post_condition problematic_skipped" {
		t.Errorf("options: got %s", types.PrintStruct(options))
	}
	if _, body := legacy.post("/network/options", map[string]any{"network_identifier": nil}); !strings.Contains(string(body), `"details":{"message":"must have required property 'network_identifier'"}`) {
		t.Errorf("a request without a network: got %s", body)
	}
	status, body := legacy.post("/network/status", map[string]any{})
	for _, part := range []string{`"peers":[{"peer_id":"ab"}]`, `"current_burn_block_height":300`, `"sync_status":{"current_index":5,"target_index":9,`} {
		if !strings.Contains(string(body), part) {
			t.Errorf("status: got %d %s, want %s in it", status, body, part)
		}
	}
}

// TestOptions has the cases for the options of /construction/metadata.
func TestOptions(t *testing.T) {
	t.Parallel()
	legacy, _ := withNode(t, rosetta.LegacyPath)
	for _, tt := range []struct {
		name   string
		change map[string]any
		want   int
	}{
		{"type", map[string]any{"type": "token"}, 625},
		{"sender", map[string]any{"sender_address": "abc"}, 626},
		{"recipient", map[string]any{"token_transfer_recipient_address": "xyz"}, 627},
		{"symbol", map[string]any{"symbol": "BTC"}, 623},
		{"decimals", map[string]any{"decimals": 8}, 624},
		{"size", map[string]any{"size": nil}, 639},
		{"no sender", map[string]any{"sender_address": ""}, 642},
		{"cycles", map[string]any{"type": "stack_stx"}, 621},
	} {
		options := map[string]any{
			"sender_address": address(alice), "type": "token_transfer", "token_transfer_recipient_address": address(bob), "amount": "500000", "symbol": "STX", "decimals": 6,
			"max_fee": "12380898", "size": 180,
		}
		for name, value := range tt.change {
			options[name] = value
		}
		check.Equal(t, fmt.Sprintf("%s: the error", tt.name), legacy.failure("/construction/metadata", map[string]any{"options": options}), tt.want)
	}
}

// TestChunks reads a transaction of the first block with more events than fit into the block.
func TestChunks(t *testing.T) {
	t.Parallel()
	var mints []event
	for i := range 2500 {
		mints = append(mints, minted(address(alice), uint64(i+1)))
	}
	boot := mined{raw: bootTransaction(t), events: mints}
	legacy, mesh := sitesOf(t, linked(t, []newBlock{
		{name: "0", parent: "none", burnHeight: 100, transactions: []mined{boot}}, {name: "1", height: 1, burnHeight: 101, transactions: []mined{coinbase(t, carol, 0)}},
	})...)
	for _, s := range []*site{mesh, legacy} {
		answer := ask[types.BlockResponse](s, "/block", at(1))
		var sizes []int
		for i, other := range answer.OtherTransactions {
			check.Equal(t, fmt.Sprintf("part %d", i), other.Hash, fmt.Sprintf("%s:genesis-chunk:%d", boot.id(), i))
			part := ask[types.BlockTransactionResponse](s, "/block/transaction", at(1, "transaction_identifier", named(other.Hash))).Transaction
			sizes = append(sizes, len(part.Operations))
			for n, op := range part.Operations {
				if op.OperationIdentifier.Index != int64(n) || op.Amount.Value != fmt.Sprint(i*1000+n+1) || op.Account.Address != address(alice) {
					t.Fatalf("part %d: operation %d is %s", i, n, types.PrintStruct(op))
				}
			}
		}
		if !slices.Equal(sizes, []int{1000, 1000, 500}) {
			t.Errorf("%s: parts have %v operations", s.prefix, sizes)
		}
		for _, op := range answer.Block.Transactions[0].Operations {
			if strings.HasSuffix(op.Type, "mint") {
				t.Errorf("%s: the block has %s, too", s.prefix, types.PrintStruct(op))
			}
		}
		want := map[string]int{rosetta.MeshPath: 200, rosetta.LegacyPath: 607}[s.prefix]
		for _, id := range []string{boot.id().String() + ":genesis-chunk:3", coinbase(t, carol, 0).id().String() + ":genesis-chunk:0"} {
			check.Equal(t, fmt.Sprintf("%s: the error", id), s.failure("/block/transaction", at(1, "transaction_identifier", named(id))), want)
		}
		newChecker(s).check()
	}
}

// TestStakingLocks has the sequences of locks that the contract pox-5 was seen to make: a lock is replaced at once, by a
// smaller or an earlier one, too.
func TestStakingLocks(t *testing.T) {
	t.Parallel()
	lock := func(account string, amount, until uint64) event {
		e := locked(account, amount*1_000_000_000, until)
		e.members["contract_identifier"] = "ST000000000000000000002AMW42H.pox-5"
		return e
	}
	a, b, c := address(alice), address(bob), address(carol)
	did := func(nonce uint64, events ...event) []mined {
		return []mined{call(t, alice, nonce, 1, "ST000000000000000000002AMW42H.pox-5", "stake-update", nil, events...)}
	}
	const enough = 100_000_000_000
	blocks := []newBlock{
		{name: "0", parent: "none", height: 0, burnHeight: 100, transactions: []mined{{raw: bootTransaction(t), events: []event{minted(a, enough), minted(b, enough), minted(c, enough)}}}},
		{name: "1", height: 1, burnHeight: 101},
		{name: "2", height: 2, burnHeight: 102, transactions: did(0, lock(a, 70, 400), lock(b, 51, 300), lock(c, 80, 300))},
		{name: "3", height: 3, burnHeight: 103, transactions: did(1, lock(a, 75, 600), lock(b, 51, 110), lock(c, 60, 1500))},
		{name: "4", height: 4, burnHeight: 104, transactions: did(2, lock(a, 75, 200), lock(c, 40, 1700))},
		{name: "5", height: 5, burnHeight: 199},
		{name: "6", height: 6, burnHeight: 200},
		{name: "7", height: 7, burnHeight: 1699},
		{name: "8", height: 8, burnHeight: 1700},
	}
	for i := range blocks {
		blocks[i].nakamoto = true
	}
	_, s := sitesOf(t, linked(t, blocks)...)
	for height, want := range map[int64]string{
		2: "stx_lock alice -70000000000, stx_lock bob -51000000000, stx_lock carol -80000000000; locked 70 51 80",
		3: "stx_lock alice -5000000000, stx_lock bob 0, stx_unlock carol 20000000000; locked 75 51 60",
		4: "stx_lock alice 0, stx_unlock carol 20000000000; locked 75 51 40",
		5: "stx_unlock bob 51000000000; locked 75 0 40",
		6: "stx_unlock alice 75000000000; locked 0 0 40",
		7: "; locked 0 0 40",
		8: "stx_unlock carol 40000000000; locked 0 0 0",
	} {
		var shown, held []string
		for _, tx := range operations(ask[types.BlockResponse](s, "/block", at(height)).Block) {
			for _, op := range tx {
				if strings.HasPrefix(op, "stx_") {
					shown = append(shown, op)
				}
			}
		}
		for _, account := range []string{a, b, c} {
			request := at(height, "account_identifier", map[string]any{"address": account, "sub_account": map[string]any{"address": "StackedBalance"}})
			held = append(held, strings.TrimSuffix(ask[types.AccountBalanceResponse](s, "/account/balance", request).Balances[0].Value, "000000000"))
		}
		check.Equal(t, fmt.Sprintf("block %d", height), strings.Join(shown, ", ")+"; locked "+strings.Join(held, " "), want)
	}
	newChecker(s).check()
}
