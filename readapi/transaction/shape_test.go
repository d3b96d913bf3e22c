package transaction_test

import (
	"net/http"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/microblock"
	signed "strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// conditions are post-conditions of every kind.
func conditions(t testing.TB, mode signed.PostConditionMode) signed.PostConditions {
	t.Helper()
	asset := clarity.AssetID{Contract: apitest.Principal(t, apitest.Alice+".coin"), Asset: "coin"}
	made := must.Get(signed.NewPostConditions(mode,
		signed.PostCondition{Type: signed.ConditionSTX, Code: signed.SentLessOrEqual, Amount: 18446744073709551615}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionSTX, Code: signed.SentEqual, Amount: 1}.Of(apitest.Principal(t, apitest.Bob)),
		signed.PostCondition{Type: signed.ConditionFungible, Code: signed.SentGreater, Amount: 2, Asset: asset}.Of(apitest.Principal(t, apitest.Alice+".vault")),
		signed.PostCondition{Type: signed.ConditionNonFungible, Code: signed.NotSent, Asset: asset, AssetValue: clarity.NewUint64(7)}.Of(apitest.Principal(t, apitest.Bob)),
		signed.PostCondition{Type: signed.ConditionNonFungible, Code: signed.MaybeSent, Asset: asset, AssetValue: clarity.NewUint64(8)}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionStaking, Code: signed.SentGreaterOrEqual, Amount: 5}.OriginPrincipal(),
		signed.PostCondition{Type: signed.ConditionPox, Code: signed.MaybePerformed}.OriginPrincipal(),
	))(t)
	return made
}

// everyKind is transactions of every kind, by name.
func everyKind(t testing.TB) (names []string, all []apitest.MinedTx) {
	t.Helper()
	add := func(name string, m apitest.MinedTx) { names, all = append(names, name), append(all, m) }
	data := signed.CoinbaseData{0: 'h', 1: 'i'}
	recipient := apitest.Principal(t, apitest.Alice+".vault")
	header := func(n byte) microblock.Header {
		return microblock.Header{Version: 1, Sequence: uint16(n), PrevBlock: hash.Hash32{n}}
	}

	add("coinbase", apitest.MinedTx{Tx: apitest.From(t, 9, 0, &signed.Coinbase{Data: data})})
	add("coinbase_alt", apitest.MinedTx{Tx: apitest.From(t, 9, 1, &signed.CoinbaseToAltRecipient{Data: data, Recipient: recipient})})
	add("coinbase_nakamoto", apitest.MinedTx{Tx: apitest.From(t, 9, 2, &signed.NakamotoCoinbase{Data: data, VRFProof: signed.VRFProof{79: 1}})})
	add("coinbase_nakamoto_alt", apitest.MinedTx{Tx: apitest.From(t, 9, 3, &signed.NakamotoCoinbase{Data: data, Recipient: &recipient})})
	add("tenure_change", apitest.MinedTx{Tx: apitest.From(t, 9, 4, &signed.TenureChange{
		ConsensusHash: hash.Hash20{1}, PrevConsensusHash: hash.Hash20{2}, BurnViewConsensusHash: hash.Hash20{3},
		PreviousEnd: hash.Hash32{4}, PreviousBlocks: 5, Cause: signed.TenureExtendedReadLength, PubkeyHash: hash.Hash20{6},
	})})
	add("token_transfer", apitest.MinedTx{Tx: apitest.Transfer(t, 0), Events: []apitest.MinedEvent{
		{Kind: "stx_transfer_event", Amount: "1250", Sender: apitest.Alice, Recipient: apitest.Bob, Memo: []byte("for you\x00")},
	}})
	sponsored := apitest.Transfer(t, 1)
	sponsored.Sponsor = &signed.SpendingCondition{HashMode: signed.P2SH, Signer: hash.Hash20{19: 2}, Nonce: 18446744073709551615, Fee: 77, SignaturesRequired: 1}
	add("sponsored", apitest.MinedTx{Tx: sponsored})
	add("smart_contract", apitest.MinedTx{Tx: apitest.From(t, 1, 2, &signed.SmartContract{ContractName: "coin", Code: []byte("(ok \"a < b\")\n")})})
	add("smart_contract_versioned", apitest.MinedTx{Tx: apitest.From(t, 1, 3, &signed.VersionedSmartContract{ClarityVersion: 4, SmartContract: signed.SmartContract{ContractName: "coin-2", Code: []byte("(ok \xff)")}})})
	withConditions := apitest.Call(t, 4, apitest.Alice+".coin", "transfer", clarity.NewUint64(5), clarity.NewBool(true))
	withConditions.PostConditions = conditions(t, signed.PostConditionOriginator)
	add("contract_call", apitest.MinedTx{Tx: withConditions, Result: clarity.NewErr(clarity.NewUint64(1)), Status: "abort_by_response", VMError: "Runtime error <1 & 2>"})
	skipped := apitest.Call(t, 5, apitest.Alice+".coin", "lost", clarity.NewInt64(-1))
	skipped.PostConditions = conditions(t, signed.PostConditionAllow)
	add("contract_call_unknown_function", apitest.MinedTx{Tx: skipped, Status: "problematic_skipped", Result: clarity.NewErr(clarity.NewNone())})
	add("contract_call_unknown_contract", apitest.MinedTx{Tx: apitest.Call(t, 6, apitest.Bob+".nowhere", "do"), Status: "abort_by_post_condition"})
	add("poison_microblock", apitest.MinedTx{
		Tx: apitest.From(t, 2, 1, &signed.PoisonMicroblock{Headers: [2]microblock.Header{header(1), header(2)}}), Result: clarity.NewNone(),
		Sequence: 3, Microblock: hash.Hash32{0: 0xcc},
	})
	add("events", apitest.MinedTx{Tx: apitest.Call(t, 7, apitest.Alice+".coin", "transfer"), Events: everyEvent()})
	return names, all
}

// everyEvent is an event of each type that there is.
func everyEvent() []apitest.MinedEvent {
	token, seven := apitest.Alice+".coin::coin", clarity.NewUint64(7)
	return []apitest.MinedEvent{
		{Kind: "contract_event", Contract: apitest.Alice + ".coin", Topic: "print", Value: apitest.OkTrue},
		{Kind: "stx_transfer_event", Amount: "1", Sender: apitest.Alice, Recipient: apitest.Bob},
		{Kind: "stx_transfer_event", Amount: "1", Sender: apitest.Alice, Recipient: apitest.Bob, Memo: []byte("hi\x00\x07  there")},
		{Kind: "stx_mint_event", Amount: "2", Recipient: apitest.Bob},
		{Kind: "stx_burn_event", Amount: "3", Sender: apitest.Alice},
		{Kind: "stx_lock_event", Amount: "400", Unlock: 250, Sender: apitest.Alice, Contract: "SP000000000000000000002Q6VF78.pox-4"},
		{Kind: "ft_transfer_event", Asset: token, Amount: "340282366920938463463374607431768211455", Sender: apitest.Alice, Recipient: apitest.Bob},
		{Kind: "ft_mint_event", Asset: token, Amount: "5", Recipient: apitest.Bob},
		{Kind: "ft_burn_event", Asset: token, Amount: "6", Sender: apitest.Alice},
		{Kind: "nft_transfer_event", Asset: apitest.Art, Value: seven, Sender: apitest.Alice, Recipient: apitest.Bob},
		{Kind: "nft_mint_event", Asset: apitest.Art, Value: seven, Recipient: apitest.Bob},
		{Kind: "nft_burn_event", Asset: apitest.Art, Value: seven, Sender: apitest.Alice},
	}
}

// newTransactionWorld is a world with transactions of every kind in block 58, and their ids by name.
func newTransactionWorld(t testing.TB) (*apitest.Site, []string, map[string]hash.Hash32) {
	t.Helper()
	s := apitest.NewWorld(t)
	names, all := everyKind(t)
	ids := map[string]hash.Hash32{}
	for i, name := range names {
		ids[name] = all[i].Tx.TxID()
	}
	s.Mine(158, all...)
	s.Exec(`UPDATE chain_v1.block SET parent_burn_block_time = burn_block_time - 600 WHERE source_seq = 158`)
	s.Mine(120, apitest.MinedTx{Tx: apitest.From(t, 1, 90, &signed.SmartContract{ContractName: "coin"})})
	s.Deploy(120, 0, apitest.Alice+".coin", nil, apitest.AbiOfCoin)
	return s, names, ids
}

// Every kind of transaction in every shape that there is of it.
func TestTransactionShapes(t *testing.T) {
	t.Parallel()
	s, names, ids := newTransactionWorld(t)
	for _, name := range names {
		v1 := s.Get("/extended/v1/tx/" + ids[name].String())
		if v1.Status != http.StatusOK {
			t.Fatalf("%s: got %d %s\n%s", name, v1.Status, v1.Body, s.Log)
		}
		s.Golden("transactions/"+name+"_v1", v1.Body)
		v3 := s.Get("/extended/v3/transactions/" + ids[name].String() + "?include=function_args,source_code&include=post_conditions&include=result")
		s.Golden("transactions/"+name+"_v3", v3.Body)
		bare := s.Get("/extended/v3/transactions/" + strings.ToUpper(ids[name].String()[2:]))
		s.Golden("transactions/"+name+"_v3_short", bare.Body)
	}
	s.Golden("transactions/page_v2", s.Get("/extended/v2/blocks/58/transactions?limit=1&offset=5").Body)
	s.Golden("transactions/page_v3", s.Get("/extended/v3/blocks/58/transactions?limit=3").Body)
	s.Golden("transactions/event_page_v1", s.Get("/extended/v1/tx/events?tx_id="+ids["events"].String()).Body)
	s.Golden("transactions/event_page_v3", s.Get("/extended/v3/transactions/"+ids["events"].String()+"/events").Body)
	s.Golden("transactions/raw", s.Get("/extended/v1/tx/"+ids["token_transfer"].String()+"/raw").Body)
	s.Golden("transactions/contract", s.Get("/extended/v1/contract/"+apitest.Alice+".coin").Body)
	s.Golden("transactions/contract_status", s.Get("/extended/v2/smart-contracts/status?contract_id="+apitest.Alice+".coin&contract_id="+apitest.Bob+".coin").Body)
	s.Golden("transactions/multiple", s.Get("/extended/v1/tx/multiple?exclude_function_args=true&event_limit=1&tx_id="+ids["token_transfer"].String()+","+apitest.ID(apitest.TxHash, 1).String()).Body)
}
