package nodeevent_test

import (
	"errors"
	"strings"
	"testing"

	"strata/domain/nodeevent"
)

func TestFieldErrors(t *testing.T) {
	t.Parallel()
	txs := func(list ...string) string { return block(`"transactions":[` + strings.Join(list, ",") + `]`) }
	events := func(list ...string) string {
		return block(`"transactions":[`+tx("aa")+`]`, `"events":[`+strings.Join(list, ",")+`]`)
	}
	set := strings.NewReplacer
	for _, tt := range []struct{ name, path, body, pointer, message string }{
		{"empty body", "/new_block", ``, ``, "the end of the body"},
		{"not JSON", "/new_block", `<html>`, ``, "body: want valid JSON"},
		{"more than one value", "/new_block", block() + `{}`, ``, "want one JSON value"},
		{"trailing garbage", "/new_burn_block", burnBlock20 + `x`, ``, "want one JSON value"},
		{"short hash", "/new_block", block(`"miner_txid":"0x00"`), `/miner_txid`, "32 bytes in hex"},
		{"long consensus hash", "/new_block", block(`"consensus_hash":"` + h("01") + `"`), `/consensus_hash`, "20 bytes in hex"},
		{"height is text", "/new_block", block(`"tenure_height":"high"`), `/tenure_height`, `got "high"`},
		{"height beyond 64 bits", "/new_block", block(`"tenure_height":18446744073709551616`), `/tenure_height`, "at most 64 bits"},
		{"bit vector", "/new_block", block(`"signer_bitvec":"0q"`), `/signer_bitvec`, "hex"},
		{"raw tx odd", "/new_block", txs(tx("aa"), tx("bb"), tx("cc"), set(`"0x0102"`, `"0x010"`).Replace(tx("dd"))), `/transactions/3/raw_tx`, `want a hex string, got "0x010": encoding/hex: odd length hex string`},
		{"raw tx not hex", "/new_block", txs(set(`"0x0102"`, `"0x01zz"`).Replace(tx("dd"))), `/transactions/0/raw_tx`, "hex"},
		{"tx index", "/new_block", txs(set(`"tx_index":0`, `"tx_index":4294967296`).Replace(tx("aa"))), `/transactions/0/tx_index`, "at most 32 bits"},
		{"microblock hash alone", "/new_microblocks", `{"parent_index_block_hash":"` + h("02") + `","transactions":[` + tx("aa", `"microblock_hash":"`+h("01")+`"`) + `]}`, `/transactions/0/microblock_sequence`, "because"},
		{"burn op reward output", "/new_block", txs(tx("aa", `"burnchain_op":{"delegate_stx":{"reward_addr":[1]}}`)), `/transactions/0/burnchain_op/delegate_stx/reward_addr`, "an output index and an address"},
		{"burn op reward output with more", "/new_block", txs(tx("aa", `"burnchain_op":{"delegate_stx":{"reward_addr":[1,"bc1q",2]}}`)), `/transactions/0/burnchain_op/delegate_stx/reward_addr`, "an output index and an address"},
		{"event of an unknown tx", "/new_block", events(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`), event("bb", "0", "stx_mint_event", `{"recipient":"A","amount":"1"}`)), `/events/1/txid`, "want a transaction of the payload"},
		{"event without data", "/new_block", events(set(`"type":"stx_mint_event"`, `"type":"stx_burn_event"`).Replace(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`))), `/events/0/stx_burn_event`, "nothing"},
		{"memo not hex", "/new_block", events(event("aa", "1", "stx_transfer_event", `{"sender":"A","recipient":"A","amount":"1","memo":"hello"}`)), `/events/0/stx_transfer_event/memo`, "hex"},
		{"microblock event of an unknown tx", "/new_microblocks", `{"parent_index_block_hash":"` + h("02") + `","events":[` + event("aa", "0", "x", `1`) + `]}`, `/events/0/txid`, "a transaction of the payload"},
		{"chunks issuer short", "/stackerdb_chunks", set(`,19,255]`, `,19]`).Replace(stackerDB), `/contract_id/issuer`, "another number of elements"},
		{"chunks issuer long", "/stackerdb_chunks", set(`255`, `255,0`).Replace(stackerDB), `/contract_id/issuer`, "another number of elements"},
		{"chunks issuer with more", "/stackerdb_chunks", set(`255]`, `255],{}`).Replace(stackerDB), `/contract_id/issuer`, "another number of elements"},
		{"chunks issuer byte", "/stackerdb_chunks", set(`255`, `256`).Replace(stackerDB), `/contract_id/issuer/1/19`, "at most 8 bits"},
		{"bad escape deep inside", "/new_block", txs(tx("aa", `"x":{"y/z":["\q"]}`)), `/transactions/0/x/y~1z/0`, "valid JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			payload, err := nodeevent.Decode(tt.path, []byte(tt.body))
			if damaged := nodeevent.Damaged(payload); len(damaged) > 0 { // while the rest counts
				payload, err = nil, damaged[0]
			}
			var field *nodeevent.FieldError
			if !errors.As(err, &field) {
				t.Fatalf("got %v, %v, want a *FieldError", payload, err)
			}
			if payload != nil {
				t.Errorf("got a payload %v with the error", payload)
			}
			if field.Path != tt.pointer {
				t.Errorf("got pointer %q, want %q (%v)", field.Path, tt.pointer, err)
			}
			if !strings.Contains(err.Error(), tt.message) {
				t.Errorf("got %q, want it to contain %q", err, tt.message)
			}
		})
	}
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	const depth = 1 << 20
	for _, tt := range []struct{ name, body string }{
		{"unknown member", block(`"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth))},
		{"never closed", block(`"x":` + strings.Repeat(`{"x":`, depth))},
		{"value of an event", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+event("aa", "0", "contract_event", `{"value":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)+`]`)},
	} {
		var field *nodeevent.FieldError
		if _, err := nodeevent.Decode("/new_block", []byte(tt.body)); !errors.As(err, &field) {
			t.Errorf("%s: got %v, want a *FieldError", tt.name, err)
		} else if len(err.Error()) > 1000 {
			t.Errorf("%s: the message has %d bytes", tt.name, len(err.Error()))
		}
	}
	const fine = 9000
	decodeAs[*nodeevent.Block](t, "/new_block", block(`"x":`+strings.Repeat("[", fine)+strings.Repeat("]", fine)))
}
