package readapi_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/domain/block/microblock"
	"strata/domain/clarity"
	"strata/domain/hash"
	signed "strata/domain/transaction"
)

const abiOfCoin = `{"functions":[{"name":"transfer","access":"public","args":[{"name":"amount","type":"uint128"},{"name":"to","type":"principal"}],
	"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}],"variables":[],"maps":[],"fungible_tokens":[],"non_fungible_tokens":[]}`

// conditions are post-conditions of every kind.
func conditions(t testing.TB, mode signed.PostConditionMode) signed.PostConditions {
	t.Helper()
	asset := clarity.AssetID{Contract: principal(t, alice+".coin"), Asset: "coin"}
	made, err := signed.NewPostConditions(mode,
		signed.PostCondition{Type: signed.ConditionSTX, Code: signed.SentLessOrEqual, Amount: 18446744073709551615}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionSTX, Code: signed.SentEqual, Amount: 1}.Of(principal(t, bob)),
		signed.PostCondition{Type: signed.ConditionFungible, Code: signed.SentGreater, Amount: 2, Asset: asset}.Of(principal(t, alice+".vault")),
		signed.PostCondition{Type: signed.ConditionNonFungible, Code: signed.NotSent, Asset: asset, AssetValue: clarity.NewUint64(7)}.Of(principal(t, bob)),
		signed.PostCondition{Type: signed.ConditionNonFungible, Code: signed.MaybeSent, Asset: asset, AssetValue: clarity.NewUint64(8)}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionStaking, Code: signed.SentGreaterOrEqual, Amount: 5}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionPox, Code: signed.MaybePerformed}.OriginPrincipal(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// everyKind is transactions of every kind, by name.
func everyKind(t testing.TB) (names []string, all []minedTx) {
	t.Helper()
	add := func(name string, m minedTx) { names, all = append(names, name), append(all, m) }
	data := signed.CoinbaseData{0: 'h', 1: 'i'}
	recipient := principal(t, alice+".vault")
	header := func(n byte) microblock.Header {
		return microblock.Header{Version: 1, Sequence: uint16(n), PrevBlock: hash.Hash32{n}}
	}

	add("coinbase", minedTx{tx: from(t, 9, 0, &signed.Coinbase{Data: data})})
	add("coinbase_alt", minedTx{tx: from(t, 9, 1, &signed.CoinbaseToAltRecipient{Data: data, Recipient: recipient})})
	add("coinbase_nakamoto", minedTx{tx: from(t, 9, 2, &signed.NakamotoCoinbase{Data: data, VRFProof: signed.VRFProof{79: 1}})})
	add("coinbase_nakamoto_alt", minedTx{tx: from(t, 9, 3, &signed.NakamotoCoinbase{Data: data, Recipient: &recipient})})
	add("tenure_change", minedTx{tx: from(t, 9, 4, &signed.TenureChange{
		ConsensusHash: hash.Hash20{1}, PrevConsensusHash: hash.Hash20{2}, BurnViewConsensusHash: hash.Hash20{3},
		PreviousEnd: hash.Hash32{4}, PreviousBlocks: 5, Cause: signed.TenureExtendedReadLength, PubkeyHash: hash.Hash20{6},
	})})
	add("token_transfer", minedTx{tx: transfer(t, 0), events: []minedEvent{
		{kind: "stx_transfer_event", amount: "1250", sender: alice, recipient: bob, memo: []byte("for you\x00")},
	}})
	sponsored := transfer(t, 1)
	sponsored.Sponsor = &signed.SpendingCondition{HashMode: signed.P2SH, Signer: hash.Hash20{19: 2}, Nonce: 18446744073709551615, Fee: 77, SignaturesRequired: 1}
	add("sponsored", minedTx{tx: sponsored})
	add("smart_contract", minedTx{tx: from(t, 1, 2, &signed.SmartContract{ContractName: "coin", Code: []byte("(ok \"a < b\")\n")})})
	add("smart_contract_versioned", minedTx{tx: from(t, 1, 3, &signed.VersionedSmartContract{ClarityVersion: 4, SmartContract: signed.SmartContract{ContractName: "coin-2", Code: []byte("(ok \xff)")}})})
	withConditions := call(t, 4, alice+".coin", "transfer", clarity.NewUint64(5), clarity.NewBool(true))
	withConditions.PostConditions = conditions(t, signed.PostConditionOriginator)
	add("contract_call", minedTx{tx: withConditions, result: clarity.NewErr(clarity.NewUint64(1)), status: "abort_by_response", vmError: "Runtime error <1 & 2>"})
	skipped := call(t, 5, alice+".coin", "lost", clarity.NewInt64(-1))
	skipped.PostConditions = conditions(t, signed.PostConditionAllow)
	add("contract_call_unknown_function", minedTx{tx: skipped, status: "problematic_skipped", result: clarity.NewErr(clarity.NewNone())})
	add("contract_call_unknown_contract", minedTx{tx: call(t, 6, bob+".nowhere", "do"), status: "abort_by_post_condition"})
	add("poison_microblock", minedTx{
		tx: from(t, 2, 1, &signed.PoisonMicroblock{Headers: [2]microblock.Header{header(1), header(2)}}), result: clarity.NewNone(),
		sequence: 3, microblock: hash.Hash32{0: 0xcc},
	})
	add("events", minedTx{tx: call(t, 7, alice+".coin", "transfer"), events: everyEvent()})
	return names, all
}

// everyEvent is an event of each type that there is.
func everyEvent() []minedEvent {
	token, seven := alice+".coin::coin", clarity.NewUint64(7)
	return []minedEvent{
		{kind: "contract_event", contract: alice + ".coin", topic: "print", value: okTrue},
		{kind: "stx_transfer_event", amount: "1", sender: alice, recipient: bob},
		{kind: "stx_transfer_event", amount: "1", sender: alice, recipient: bob, memo: []byte("hi\x00\x07  there")},
		{kind: "stx_mint_event", amount: "2", recipient: bob},
		{kind: "stx_burn_event", amount: "3", sender: alice},
		{kind: "stx_lock_event", amount: "400", unlock: 250, sender: alice, contract: "SP000000000000000000002Q6VF78.pox-4"},
		{kind: "ft_transfer_event", asset: token, amount: "340282366920938463463374607431768211455", sender: alice, recipient: bob},
		{kind: "ft_mint_event", asset: token, amount: "5", recipient: bob},
		{kind: "ft_burn_event", asset: token, amount: "6", sender: alice},
		{kind: "nft_transfer_event", asset: art, value: seven, sender: alice, recipient: bob},
		{kind: "nft_mint_event", asset: art, value: seven, recipient: bob},
		{kind: "nft_burn_event", asset: art, value: seven, sender: alice},
	}
}

// newTransactionWorld is a world with transactions of every kind in block 58, and their ids by name.
func newTransactionWorld(t testing.TB) (*site, []string, map[string]hash.Hash32) {
	t.Helper()
	s := newWorld(t)
	names, all := everyKind(t)
	ids := map[string]hash.Hash32{}
	for i, name := range names {
		ids[name] = all[i].tx.TxID()
	}
	s.mine(158, all...)
	s.exec(`UPDATE chain_v1.block SET parent_burn_block_time = burn_block_time - 600 WHERE source_seq = 158`)
	s.mine(120, minedTx{tx: from(t, 1, 90, &signed.SmartContract{ContractName: "coin"})})
	s.deploy(120, 0, alice+".coin", nil, abiOfCoin)
	return s, names, ids
}

// Every kind of transaction in every shape that there is of it.
func TestTransactionShapes(t *testing.T) {
	t.Parallel()
	s, names, ids := newTransactionWorld(t)
	for _, name := range names {
		v1 := s.get("/extended/v1/tx/" + ids[name].String())
		if v1.status != http.StatusOK {
			t.Fatalf("%s: got %d %s\n%s", name, v1.status, v1.body, s.log)
		}
		s.golden("transactions/"+name+"_v1", v1.body)
		v3 := s.get("/extended/v3/transactions/" + ids[name].String() + "?include=function_args,source_code&include=post_conditions&include=result")
		s.golden("transactions/"+name+"_v3", v3.body)
		bare := s.get("/extended/v3/transactions/" + strings.ToUpper(ids[name].String()[2:]))
		s.golden("transactions/"+name+"_v3_short", bare.body)
	}
	s.golden("transactions/page_v2", s.get("/extended/v2/blocks/58/transactions?limit=1&offset=5").body)
	s.golden("transactions/page_v3", s.get("/extended/v3/blocks/58/transactions?limit=3").body)
	s.golden("transactions/event_page_v1", s.get("/extended/v1/tx/events?tx_id="+ids["events"].String()).body)
	s.golden("transactions/event_page_v3", s.get("/extended/v3/transactions/"+ids["events"].String()+"/events").body)
	s.golden("transactions/raw", s.get("/extended/v1/tx/"+ids["token_transfer"].String()+"/raw").body)
	s.golden("transactions/contract", s.get("/extended/v1/contract/"+alice+".coin").body)
	s.golden("transactions/contract_status", s.get("/extended/v2/smart-contracts/status?contract_id="+alice+".coin&contract_id="+bob+".coin").body)
	s.golden("transactions/multiple", s.get("/extended/v1/tx/multiple?exclude_function_args=true&event_limit=1&tx_id="+ids["token_transfer"].String()+","+id(txHash, 1).String()).body)
}
