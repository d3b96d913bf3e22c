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
	without := func(body, member string) string { return strings.Replace(body, `"`+member+`"`, `"no_`+member+`"`, 1) }
	set := strings.NewReplacer
	for _, tt := range []struct{ name, path, body, pointer, message string }{
		{"empty body", "/new_block", ``, ``, "the end of the body"},
		{"truncated body", "/new_block", `{"block_height":`, `/block_height`, "the end of the body"},
		{"not JSON", "/new_block", `<html>`, ``, "body: want valid JSON"},
		{"more than one value", "/new_block", block() + `{}`, ``, "want one JSON value"},
		{"trailing garbage", "/new_burn_block", burnBlock20 + `x`, ``, "want one JSON value"},
		{"array for object", "/new_block", `[]`, ``, `body: want an object, got "[]"`},
		{"null body", "/new_burn_block", `null`, ``, `body: want an object, got "null"`},
		{"object for array", "/new_mempool_tx", `{}`, ``, `want an array, got "{}"`},
		{"null for array", "/attachments/new", `null`, ``, `want an array, got "null"`},

		{"no index hash", "/new_block", without(block(), "index_block_hash"), `/index_block_hash`, "/index_block_hash: want 32 bytes in hex, got nothing"},
		{"null hash", "/new_block", block(`"block_hash":null`), `/block_hash`, "got nothing"},
		{"no block hash", "/new_block", without(block(), "block_hash"), `/block_hash`, "got nothing"},
		{"no parent", "/new_block", without(block(), "parent_index_block_hash"), `/parent_index_block_hash`, "got nothing"},
		{"no height", "/new_block", without(block(), "block_height"), `/block_height`, "got nothing"},
		{"no burn hash", "/new_block", without(block(), "burn_block_hash"), `/burn_block_hash`, "got nothing"},
		{"no burn height", "/new_block", without(block(), "burn_block_height"), `/burn_block_height`, "got nothing"},
		{"short hash", "/new_block", block(`"miner_txid":"0x00"`), `/miner_txid`, "32 bytes in hex"},
		{"hash is a number", "/new_block", block(`"miner_txid":5`), `/miner_txid`, `want 32 bytes in hex, got "5"`},
		{"long consensus hash", "/new_block", block(`"consensus_hash":"` + h("01") + `"`), `/consensus_hash`, "20 bytes in hex"},
		{"height is text", "/new_block", block(`"tenure_height":"high"`), `/tenure_height`, `got "high"`},
		{"height is negative", "/new_block", block(`"tenure_height":-1`), `/tenure_height`, `got "-1"`},
		{"height beyond 64 bits", "/new_block", block(`"tenure_height":18446744073709551616`), `/tenure_height`, "at most 64 bits"},
		{"sequence beyond 16 bits", "/new_block", block(`"parent_microblock_sequence":65536`), `/parent_microblock_sequence`, "at most 16 bits"},
		{"cost", "/new_block", block(`"anchored_cost":{"runtime":true}`), `/anchored_cost/runtime`, "whole number"},
		{"bit vector", "/new_block", block(`"signer_bitvec":"0q"`), `/signer_bitvec`, "hex"},
		{"signature null", "/new_block", block(`"signer_signature":["00",null]`), `/signer_signature/1`, `got "null"`},
		{"signer key", "/new_block", block(`"reward_set":{"signers":[{"weight":1}]}`), `/reward_set/signers/0/signing_key`, "nothing"},

		{"reward without amount", "/new_block", block(`"matured_miner_rewards":[{"recipient":"A","tx_fees_anchored":"0"}]`), `/matured_miner_rewards/0/coinbase_amount`, "nothing"},
		{"reward without fees", "/new_block", block(`"matured_miner_rewards":[{"recipient":"A","coinbase_amount":"0"}]`), `/matured_miner_rewards/0/tx_fees_anchored`, "nothing"},
		{"reward without recipient", "/new_block", block(`"matured_miner_rewards":[{"coinbase_amount":"0","tx_fees_anchored":"0"}]`), `/matured_miner_rewards/0/recipient`, "nothing"},

		{"tx is null", "/new_block", txs(tx("aa"), `null`), `/transactions/1`, `want a transaction, got "null"`},
		{"tx is text", "/new_block", txs(tx("aa"), `"x"`), `/transactions/1`, `want an object`},
		{"tx without txid", "/new_block", txs(tx("aa"), without(tx("bb"), "txid")), `/transactions/1/txid`, "nothing"},
		{"tx without status", "/new_block", txs(without(tx("aa"), "status")), `/transactions/0/status`, "nothing"},
		{"raw tx odd", "/new_block", txs(tx("aa"), tx("bb"), tx("cc"), set(`"0x0102"`, `"0x010"`).Replace(tx("dd"))), `/transactions/3/raw_tx`, `want a hex string, got "0x010": encoding/hex: odd length hex string`},
		{"raw tx not hex", "/new_block", txs(set(`"0x0102"`, `"0x01zz"`).Replace(tx("dd"))), `/transactions/0/raw_tx`, "hex"},
		{"raw tx is an object", "/new_block", txs(set(`"0x0102"`, `{}`).Replace(tx("dd"))), `/transactions/0/raw_tx`, `got "{}"`},
		{"tx index", "/new_block", txs(set(`"tx_index":0`, `"tx_index":4294967296`).Replace(tx("aa"))), `/transactions/0/tx_index`, "at most 32 bits"},
		{"microblock fields mixed", "/new_block", txs(tx("aa", `"microblock_sequence":1`, `"microblock_hash":"`+h("01")+`"`)), `/transactions/0/microblock_parent_hash`, "because other microblock fields are set"},
		{"microblock hash alone", "/new_microblocks", `{"parent_index_block_hash":"` + h("02") + `","transactions":[` + tx("aa", `"microblock_hash":"`+h("01")+`"`) + `]}`, `/transactions/0/microblock_sequence`, "because"},
		{"burn op", "/new_block", txs(tx("aa", `"burnchain_op":{"transfer_stx":{"transfered_ustx":1.5}}`)), `/transactions/0/burnchain_op/transfer_stx/transfered_ustx`, "at most 256 bits"},
		{"burn op reward output", "/new_block", txs(tx("aa", `"burnchain_op":{"delegate_stx":{"reward_addr":[1]}}`)), `/transactions/0/burnchain_op/delegate_stx/reward_addr`, "an output index and an address"},
		{"burn op is text", "/new_block", txs(tx("aa", `"burnchain_op":"x"`)), `/transactions/0/burnchain_op`, "an object"},
		{"vm error is an object", "/new_block", txs(tx("aa", `"vm_error":{}`)), `/transactions/0/vm_error`, "a string"},

		{"event of an unknown tx", "/new_block", events(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`), event("bb", "0", "stx_mint_event", `{"recipient":"A","amount":"1"}`)), `/events/1/txid`, "want a transaction of the payload"},
		{"event is null", "/new_block", events(`null`), `/events/0`, "want an event"},
		{"event without index", "/new_block", events(without(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`), "event_index")), `/events/0/event_index`, "nothing"},
		{"event without txid", "/new_block", events(without(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`), "txid")), `/events/0/txid`, "nothing"},
		{"event without type", "/new_block", events(without(event("aa", "1", "x", `1`), "type")), `/events/0/type`, "nothing"},
		{"event without data", "/new_block", events(set(`"type":"stx_mint_event"`, `"type":"stx_burn_event"`).Replace(event("aa", "1", "stx_mint_event", `{"recipient":"A","amount":"1"}`))), `/events/0/stx_burn_event`, "nothing"},
		{"event data null", "/new_block", events(event("aa", "1", "stx_mint_event", `null`)), `/events/0/stx_mint_event`, "nothing"},
		{"event data wrong", "/new_block", events(event("aa", "1", "stx_mint_event", `5`)), `/events/0/stx_mint_event`, "an object"},
		{"committed is text", "/new_block", events(set(`"committed":true`, `"committed":"yes"`).Replace(event("aa", "1", "x", `1`))), `/events/0/committed`, "true or false"},
		{"negative amount", "/new_block", events(event("aa", "1", "stx_burn_event", `{"sender":"A","amount":"-5"}`)), `/events/0/stx_burn_event/amount`, `got "-5"`},
		{"amount missing", "/new_block", events(event("aa", "1", "ft_transfer_event", `{"asset_identifier":"X","sender":"A","recipient":"B"}`)), `/events/0/ft_transfer_event/amount`, "nothing"},
		{"asset missing", "/new_block", events(event("aa", "1", "ft_burn_event", `{"sender":"A","amount":"1"}`)), `/events/0/ft_burn_event/asset_identifier`, "nothing"},
		{"sender missing", "/new_block", events(event("aa", "1", "stx_transfer_event", `{"recipient":"A","amount":"1"}`)), `/events/0/stx_transfer_event/sender`, "nothing"},
		{"recipient missing", "/new_block", events(event("aa", "1", "nft_mint_event", `{"asset_identifier":"A","raw_value":"00"}`)), `/events/0/nft_mint_event/recipient`, "nothing"},
		{"raw value missing", "/new_block", events(event("aa", "1", "nft_burn_event", `{"asset_identifier":"A","sender":"B"}`)), `/events/0/nft_burn_event/raw_value`, "nothing"},
		{"contract missing", "/new_block", events(event("aa", "1", "contract_event", `{"raw_value":"0x00"}`)), `/events/0/contract_event/contract_identifier`, "nothing"},
		{"lock without height", "/new_block", events(event("aa", "1", "stx_lock_event", `{"locked_address":"A","locked_amount":"1"}`)), `/events/0/stx_lock_event/unlock_height`, "nothing"},
		{"memo not hex", "/new_block", events(event("aa", "1", "stx_transfer_event", `{"sender":"A","recipient":"A","amount":"1","memo":"hello"}`)), `/events/0/stx_transfer_event/memo`, "hex"},

		{"burn block without hash", "/new_burn_block", without(burnBlock20, "burn_block_hash"), `/burn_block_hash`, "nothing"},
		{"burn block without height", "/new_burn_block", without(burnBlock20, "burn_block_height"), `/burn_block_height`, "nothing"},
		{"payout without amount", "/new_burn_block", set(`"amt":40000`, `"x":1`).Replace(burnBlock33), `/reward_recipients/0/amt`, "nothing"},
		{"payout without recipient", "/new_burn_block", set(`{"recipient":"1abc",`, `{`).Replace(burnBlock33), `/reward_recipients/1/recipient`, "nothing"},
		{"slot holder null", "/new_burn_block", set(`["bc1q","bc1q"]`, `["bc1q",null]`).Replace(burnBlock33), `/reward_slot_holders/1`, "a string"},
		{"commit without txid", "/new_burn_block", set(`{"txid"`, `{"id"`).Replace(burnBlock33), `/pox_transactions/0/txid`, "nothing"},

		{"microblocks without parent", "/new_microblocks", `{}`, `/parent_index_block_hash`, "nothing"},
		{"microblock event of an unknown tx", "/new_microblocks", `{"parent_index_block_hash":"` + h("02") + `","events":[` + event("aa", "0", "x", `1`) + `]}`, `/events/0/txid`, "a transaction of the payload"},
		{"mempool tx null", "/new_mempool_tx", `["0x00",null]`, `/1`, "hex"},
		{"mempool tx not hex", "/new_mempool_tx", `["0x00","0xg0"]`, `/1`, "hex"},
		{"drop without list", "/drop_mempool_tx", `{"reason":"x"}`, `/dropped_txids`, "nothing"},
		{"dropped txid", "/drop_mempool_tx", `{"dropped_txids":["0x00"]}`, `/dropped_txids/0`, "32 bytes in hex"},
		{"dropped txid null", "/drop_mempool_tx", `{"dropped_txids":[null]}`, `/dropped_txids/0`, "32 bytes in hex"},
		{"attachment without block", "/attachments/new", set(`"index_block_hash"`, `"x"`).Replace(attachments), `/0/index_block_hash`, "nothing"},
		{"attachment without tx", "/attachments/new", set(`"tx_id"`, `"x"`).Replace(attachments), `/0/tx_id`, "nothing"},
		{"attachment without contract", "/attachments/new", set(`"contract_id"`, `"x"`).Replace(attachments), `/0/contract_id`, "nothing"},
		{"attachment without index", "/attachments/new", set(`"attachment_index"`, `"x"`).Replace(attachments), `/0/attachment_index`, "nothing"},
		{"chunks without contract", "/stackerdb_chunks", `{"modified_slots":[]}`, `/contract_id`, "nothing"},
		{"chunks contract without name", "/stackerdb_chunks", without(stackerDB, "name"), `/contract_id/name`, "nothing"},
		{"chunks issuer short", "/stackerdb_chunks", set(`,19,255]`, `,19]`).Replace(stackerDB), `/contract_id/issuer`, "another number of elements"},
		{"chunks issuer byte", "/stackerdb_chunks", set(`255`, `256`).Replace(stackerDB), `/contract_id/issuer/1/19`, "at most 8 bits"},
		{"slot without version", "/stackerdb_chunks", without(stackerDB, "slot_version"), `/modified_slots/0/slot_version`, "nothing"},
		{"proposal without result", "/proposal_response", without(proposalOK, "result"), `/result`, "nothing"},
		{"proposal without hash", "/proposal_response", without(proposalNo, "signer_signature_hash"), `/signer_signature_hash`, "nothing"},
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
