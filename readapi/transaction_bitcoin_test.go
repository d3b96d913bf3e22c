package readapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"strata/domain/clarity"
	"strata/domain/pox"
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
	v, err := clarity.NewTuple(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Operations that came from Bitcoin are shown as transactions that would have done the same, as far as anything is known
// of them.
func TestBitcoinOperations(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.deploy(110, 0, "SP000000000000000000002Q6VF78.pox-4", 2, `{"functions":[{"name":"stack-stx","access":"public","args":[{"name":"amount-ustx","type":"uint128"}],"outputs":{"type":"bool"}}]}`)
	number := clarity.NewUint64
	principalOf := func(text string) clarity.Value {
		v, err := clarity.NewPrincipal(principal(t, text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	name, err := clarity.NewASCII("delegate-stx")
	if err != nil {
		t.Fatal(err)
	}
	delegated := clarity.NewOk(tuple(t,
		clarity.Field{Name: "name", Value: name}, clarity.Field{Name: "stacker", Value: principalOf(alice)},
		clarity.Field{Name: "balance", Value: number(10)}, clarity.Field{Name: "locked", Value: number(0)}, clarity.Field{Name: "burnchain-unlock-height", Value: number(0)},
		clarity.Field{Name: "data", Value: tuple(t,
			clarity.Field{Name: "amount-ustx", Value: number(600)}, clarity.Field{Name: "delegate-to", Value: principalOf(bob)},
			clarity.Field{Name: "pox-addr", Value: clarity.NewNone()}, clarity.Field{Name: "unlock-burn-height", Value: clarity.NewSome(number(900))})}))
	if _, ok, err := pox.Decode(delegated); !ok || err != nil {
		t.Fatal(err)
	}
	print := func(contract string) minedEvent {
		return minedEvent{kind: "contract_event", contract: "SP000000000000000000002Q6VF78." + contract, topic: "print", value: delegated}
	}
	lock := func(contract any) minedEvent {
		return minedEvent{kind: "stx_lock_event", amount: "500", unlock: 158 + 2*2100 + 7, sender: alice, contract: contract}
	}
	stacked := clarity.NewOk(tuple(t, clarity.Field{Name: "lock-amount", Value: number(450)}, clarity.Field{Name: "stacker", Value: principalOf(alice)}, clarity.Field{Name: "unlock-burn-height", Value: number(4365)}))
	refused := clarity.NewErr(clarity.NewNone())

	operations := []struct {
		name string
		minedTx
	}{
		{"transfer", minedTx{sender: alice, operation: `{` + placeOnBitcoin + `,"memo":"0x6869","recipient":` + said(bob) + `,"sender":` + said(alice) + `,"transfered_ustx":1000}`,
			events: []minedEvent{{kind: "stx_transfer_event", amount: "1000", sender: alice, recipient: bob}}}},
		{"transfer_before_21", minedTx{sender: alice, events: []minedEvent{{kind: "stx_transfer_event", amount: "1000", sender: alice, recipient: bob}}}},
		{"transfer_refused", minedTx{sender: alice, status: "abort_by_response", result: refused,
			operation: `{` + placeOnBitcoin + `,"memo":"0x","recipient":` + said(bob) + `,"sender":` + said(alice) + `,"transfered_ustx":1000}`}},
		{"stack", minedTx{sender: alice, result: stacked, events: []minedEvent{lock("SP000000000000000000002Q6VF78.pox-4")},
			operation: `{"auth_id":11,` + placeOnBitcoin + `,"max_amount":340282366920938463463374607431768211455,"num_cycles":2,"reward_addr":"` + bitcoinAddress + `","sender":` + said(alice) + `,"signer_key":"02aabb","stacked_ustx":500}`}},
		{"stack_pox2", minedTx{sender: alice, result: stacked, events: []minedEvent{lock("SP000000000000000000002Q6VF78.pox-2")},
			operation: `{` + placeOnBitcoin + `,"num_cycles":2,"reward_addr":"` + bitcoinAddress + `","sender":` + said(alice) + `,"stacked_ustx":500,"signer_key":null,"max_amount":null,"auth_id":null}`}},
		{"stack_before_21", minedTx{sender: alice, result: stacked, events: []minedEvent{lock(nil)}}},
		{"delegate", minedTx{sender: alice, events: []minedEvent{print("pox-4")},
			operation: `{` + placeOnBitcoin + `,"delegate_to":` + said(bob) + `,"delegated_ustx":600,"reward_addr":[1,"` + bitcoinAddress + `"],"sender":` + said(alice) + `,"until_burn_height":900}`}},
		{"delegate_without_address", minedTx{sender: alice, events: []minedEvent{print("pox-3")},
			operation: `{` + placeOnBitcoin + `,"delegate_to":` + said(bob) + `,"delegated_ustx":600,"reward_addr":null,"sender":` + said(alice) + `,"until_burn_height":null}`}},
		{"delegate_printed", minedTx{sender: alice, events: []minedEvent{print("pox-2")}}},
		{"vote", minedTx{sender: alice, operation: `{"aggregate_key":"02cc",` + placeOnBitcoin + `,"reward_cycle":9,"round":1,"sender":` + said(alice) + `,"signer_index":4,"signer_key":"02aabb"}`}},
		{"nothing_known", minedTx{status: "abort_by_response", result: refused}},
		{"nonsense", minedTx{sender: alice, status: "abort_by_response", result: refused, operation: `{"stacked_ustx":-5,"reward_addr":{},"sender":7}`}},
	}
	var all []minedTx
	for i, o := range operations {
		o.id = id(0x0b, i)
		all = append(all, o.minedTx)
		all[i].id = o.id
	}
	s.mine(158, all...)
	for i, o := range operations {
		got := s.get("/extended/v1/tx/" + all[i].id.String())
		if got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s\n%s", o.name, got.status, got.body, s.log)
		}
		s.golden("transactions/bitcoin_"+o.name, got.body)
		v3 := s.object("/extended/v3/transactions/" + all[i].id.String() + "?include=function_args")
		if v3["tx_id"] != all[i].id.String() {
			t.Errorf("%s: got %v", o.name, v3)
		}
	}
	if got := s.object("/extended/v2/blocks/58/transactions"); got["total"] != float64(len(all)) {
		t.Errorf("got %v", got)
	}
	if got, want := s.get("/extended/v1/tx/"+all[0].id.String()+"/raw").body, `{"raw_tx":"0x00"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
