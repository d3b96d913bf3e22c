package transaction_test

import (
	"fmt"
	"net/http"
	"testing"

	"strata/domain/clarity"
	"strata/domain/pox"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

const (
	bitcoinAddress = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	placeOnBitcoin = `"burn_block_height":158,"burn_header_hash":"00","burn_txid":"00","vtxindex":3`
)

// said is an address as nodes name one in operations.
func said(address string) string {
	return fmt.Sprintf(`{"address":%q,"address_hash_bytes":"0x00","address_version":22}`, address)
}

func tuple(t testing.TB, fields ...clarity.Field) clarity.Value {
	t.Helper()
	return must.Get(clarity.NewTuple(fields...))(t)
}

// Operations that came from Bitcoin are shown as transactions that would have done the same, as far as anything is known
// of them.
func TestBitcoinOperations(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Deploy(110, 0, "SP000000000000000000002Q6VF78.pox-4", 2, `{"functions":[{"name":"stack-stx","access":"public","args":[{"name":"amount-ustx","type":"uint128"}],"outputs":{"type":"bool"}}]}`)
	number := clarity.NewUint64
	principalOf := func(text string) clarity.Value {
		return must.Get(clarity.NewPrincipal(apitest.Principal(t, text)))(t)
	}
	name := must.Get(clarity.NewASCII("delegate-stx"))(t)
	delegated := clarity.NewOk(tuple(t,
		clarity.Field{Name: "name", Value: name}, clarity.Field{Name: "stacker", Value: principalOf(apitest.Alice)},
		clarity.Field{Name: "balance", Value: number(10)}, clarity.Field{Name: "locked", Value: number(0)}, clarity.Field{Name: "burnchain-unlock-height", Value: number(0)},
		clarity.Field{Name: "data", Value: tuple(t,
			clarity.Field{Name: "amount-ustx", Value: number(600)}, clarity.Field{Name: "delegate-to", Value: principalOf(apitest.Bob)},
			clarity.Field{Name: "pox-addr", Value: clarity.NewNone()}, clarity.Field{Name: "unlock-burn-height", Value: clarity.NewSome(number(900))})}))
	if _, ok, err := pox.Decode(delegated); !ok || err != nil {
		t.Fatal(err)
	}
	print := func(contract string) apitest.MinedEvent {
		return apitest.MinedEvent{Kind: "contract_event", Contract: "SP000000000000000000002Q6VF78." + contract, Topic: "print", Value: delegated}
	}
	lock := func(contract any) apitest.MinedEvent {
		return apitest.MinedEvent{Kind: "stx_lock_event", Amount: "500", Unlock: 158 + 2*2100 + 7, Sender: apitest.Alice, Contract: contract}
	}
	stacked := clarity.NewOk(tuple(t, clarity.Field{Name: "lock-amount", Value: number(450)}, clarity.Field{Name: "stacker", Value: principalOf(apitest.Alice)}, clarity.Field{Name: "unlock-burn-height", Value: number(4365)}))
	refused := clarity.NewErr(clarity.NewNone())

	operations := []struct {
		name string
		apitest.MinedTx
	}{
		{"transfer", apitest.MinedTx{Sender: apitest.Alice, Operation: `{` + placeOnBitcoin + `,"memo":"0x6869","recipient":` + said(apitest.Bob) + `,"sender":` + said(apitest.Alice) + `,"transfered_ustx":1000}`,
			Events: []apitest.MinedEvent{{Kind: "stx_transfer_event", Amount: "1000", Sender: apitest.Alice, Recipient: apitest.Bob}}}},
		{"transfer_before_21", apitest.MinedTx{Sender: apitest.Alice, Events: []apitest.MinedEvent{{Kind: "stx_transfer_event", Amount: "1000", Sender: apitest.Alice, Recipient: apitest.Bob}}}},
		{"transfer_refused", apitest.MinedTx{Sender: apitest.Alice, Status: "abort_by_response", Result: refused,
			Operation: `{` + placeOnBitcoin + `,"memo":"0x","recipient":` + said(apitest.Bob) + `,"sender":` + said(apitest.Alice) + `,"transfered_ustx":1000}`}},
		{"stack", apitest.MinedTx{Sender: apitest.Alice, Result: stacked, Events: []apitest.MinedEvent{lock("SP000000000000000000002Q6VF78.pox-4")},
			Operation: `{"auth_id":11,` + placeOnBitcoin + `,"max_amount":340282366920938463463374607431768211455,"num_cycles":2,"reward_addr":"` + bitcoinAddress + `","sender":` + said(apitest.Alice) + `,"signer_key":"02aabb","stacked_ustx":500}`}},
		{"stack_pox2", apitest.MinedTx{Sender: apitest.Alice, Result: stacked, Events: []apitest.MinedEvent{lock("SP000000000000000000002Q6VF78.pox-2")},
			Operation: `{` + placeOnBitcoin + `,"num_cycles":2,"reward_addr":"` + bitcoinAddress + `","sender":` + said(apitest.Alice) + `,"stacked_ustx":500,"signer_key":null,"max_amount":null,"auth_id":null}`}},
		{"stack_before_21", apitest.MinedTx{Sender: apitest.Alice, Result: stacked, Events: []apitest.MinedEvent{lock(nil)}}},
		{"delegate", apitest.MinedTx{Sender: apitest.Alice, Events: []apitest.MinedEvent{print("pox-4")},
			Operation: `{` + placeOnBitcoin + `,"delegate_to":` + said(apitest.Bob) + `,"delegated_ustx":600,"reward_addr":[1,"` + bitcoinAddress + `"],"sender":` + said(apitest.Alice) + `,"until_burn_height":900}`}},
		{"delegate_without_address", apitest.MinedTx{Sender: apitest.Alice, Events: []apitest.MinedEvent{print("pox-3")},
			Operation: `{` + placeOnBitcoin + `,"delegate_to":` + said(apitest.Bob) + `,"delegated_ustx":600,"reward_addr":null,"sender":` + said(apitest.Alice) + `,"until_burn_height":null}`}},
		{"delegate_printed", apitest.MinedTx{Sender: apitest.Alice, Events: []apitest.MinedEvent{print("pox-2")}}},
		{"vote", apitest.MinedTx{Sender: apitest.Alice, Operation: `{"aggregate_key":"02cc",` + placeOnBitcoin + `,"reward_cycle":9,"round":1,"sender":` + said(apitest.Alice) + `,"signer_index":4,"signer_key":"02aabb"}`}},
		{"nothing_known", apitest.MinedTx{Status: "abort_by_response", Result: refused}},
		{"nonsense", apitest.MinedTx{Sender: apitest.Alice, Status: "abort_by_response", Result: refused, Operation: `{"stacked_ustx":-5,"reward_addr":{},"sender":7}`}},
	}
	var all []apitest.MinedTx
	for i, o := range operations {
		o.ID = apitest.ID(0x0b, i)
		all = append(all, o.MinedTx)
		all[i].ID = o.ID
	}
	s.Mine(158, all...)
	for i, o := range operations {
		got := s.Get("/extended/v1/tx/" + all[i].ID.String())
		if got.Status != http.StatusOK {
			t.Fatalf("%s: got %d %s\n%s", o.name, got.Status, got.Body, s.Log)
		}
		s.Golden("transactions/bitcoin_"+o.name, got.Body)
		v3 := s.Object("/extended/v3/transactions/" + all[i].ID.String() + "?include=function_args")
		if v3["tx_id"] != all[i].ID.String() {
			t.Errorf("%s: got %v", o.name, v3)
		}
	}
	if got := s.Object("/extended/v2/blocks/58/transactions"); got["total"] != float64(len(all)) {
		t.Errorf("got %v", got)
	}
	check.Equal(t, "raw", s.Get("/extended/v1/tx/"+all[0].ID.String()+"/raw").Body, `{"raw_tx":"0x00"}`)
}
