package ordinals_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"strata/domain/nodeevent"
	"strata/domain/ordinals"
)

func TestFieldErrors(t *testing.T) {
	t.Parallel()
	swap := func(text, old, new string) string {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return strings.Replace(text, old, new, 1)
	}
	without := func(text, member string) string { return swap(text, `"`+member+`"`, `"no_`+member+`"`) }
	reveal := func(text string) string { return body(block(tx(transferred(transferFull), revealed(text)))) }
	transfer := func(text string) string { return body(block() + "," + block(tx(), tx(transferred(text)))) }
	token := func(text string) string { return body(block(brc20(withID(text)))) }
	const (
		onReveal   = "/apply/0/transactions/0/metadata/ordinal_operations/1/inscription_revealed"
		onTransfer = "/apply/1/transactions/1/metadata/ordinal_operations/0/inscription_transferred"
		onToken    = "/apply/0/transactions/0/metadata/brc20_operation"
	)
	type bad struct{ name, body, pointer, message string }
	table := []bad{
		{"empty body", ``, ``, "the end of the body"},
		{"truncated", body("")[:strings.Index(body(""), `"apply"`)+8], `/apply`, "the end of the body"},
		{"not JSON", `<html>`, ``, "body: want valid JSON"},
		{"more than one value", body("") + `{}`, ``, "want one JSON value"},
		{"trailing garbage", body("") + `x`, ``, "want one JSON value"},
		{"array", `[]`, ``, `body: want an object, got "[]"`},
		{"null", `null`, ``, `body: want an object, got "null"`},
		{"empty object", `{}`, `/rollback`, `/rollback: want an array, got nothing`},
		{"no apply", without(body(""), "apply"), `/apply`, "nothing"},
		{"apply null", swap(body(""), `"apply":[]`, `"apply":null`), `/apply`, "null"},
		{"apply is an object", swap(body(""), `"apply":[]`, `"apply":{}`), `/apply`, "an array"},
		{"no rollback", without(body(""), "rollback"), `/rollback`, "nothing"},

		{"block null", body(block() + `,null`), `/apply/1`, `want a block, got "null"`},
		{"block is text", body("", block(), `"x"`), `/rollback/1`, "an object"},
		{"no identifier", body(without(block(), "block_identifier")), `/apply/0/block_identifier`, "nothing"},
		{"no height", body(without(block(), "index")), `/apply/0/block_identifier/index`, "nothing"},
		{"no block hash", body(without(block(), "hash")), `/apply/0/block_identifier/hash`, "nothing"},
		{"short block hash", body(swap(block(), h("01"), "01")), `/apply/0/block_identifier/hash`, "32 bytes in hex"},
		{"height negative", body(swap(block(), `775617`, `-1`)), `/apply/0/block_identifier/index`, `got "-1"`},
		{"height beyond 63 bits", body(swap(block(), `775617`, `9223372036854775808`)), `/apply/0/block_identifier/index`, "at most 63 bits"},
		{"height not whole", body(swap(block(), `775617`, `1.5`)), `/apply/0/block_identifier/index`, "whole number"},
		{"no time", body(without(block(), "timestamp")), `/apply/0/timestamp`, "nothing"},
		{"time beyond 32 bits", body(swap(block(), `1676913207`, `4294967296`)), `/apply/0/timestamp`, "at most 32 bits"},
		{"no transactions", body(without(block(), "transactions")), `/apply/0/transactions`, "nothing"},
		{"network a number", body(swap(block(), `"mainnet"`, `1`)), `/apply/0/metadata/network`, "a string"},

		{"transaction null", body(block(tx(), `null`)), `/apply/0/transactions/1`, `want a transaction, got "null"`},
		{"no transaction identifier", body(block(without(tx(), "transaction_identifier"))), `/apply/0/transactions/0/transaction_identifier`, "nothing"},
		{"no transaction hash", body(block(without(tx(), "hash"))), `/apply/0/transactions/0/transaction_identifier/hash`, "nothing"},
		{"transaction hash not hex", body(block(swap(tx(), h("aa"), h("zz")))), `/apply/0/transactions/0/transaction_identifier/hash`, "32 bytes in hex"},
		{"no metadata", body(block(without(tx(), "metadata"))), `/apply/0/transactions/0/metadata`, "nothing"},
		{"no index", body(block(without(brc20(withID(mintOp)), "index"))), `/apply/0/transactions/0/metadata/index`, "nothing"},
		{"no operations", body(block(without(tx(), "ordinal_operations"))), `/apply/0/transactions/0/metadata/ordinal_operations`, "nothing"},
		{"operation null", body(block(tx(transferred(transferFull), `null`))), `/apply/0/transactions/0/metadata/ordinal_operations/1`, "want an operation"},
		{"operation empty", body(block(tx(`{}`))), `/apply/0/transactions/0/metadata/ordinal_operations/0`, "0 of them"},
		{"operation of an unknown kind", body(block(tx(`{"inscription_lost":{}}`))), `/apply/0/transactions/0/metadata/ordinal_operations/0`, "inscription_transferred, got 0"},
		{"operation of two kinds", body(block(tx(`{"inscription_revealed":` + revealBare + `,"inscription_transferred":` + transferFull + `}`))), `/apply/0/transactions/0/metadata/ordinal_operations/0`, "2 of them"},
		{"reveal null", body(block(tx(revealed(`null`)))), `/apply/0/transactions/0/metadata/ordinal_operations/0`, "0 of them"},
		{"reveal is text", reveal(`"x"`), onReveal, "an object"},

		{"content odd", reveal(swap(revealFull, `0x48656C6C6F`, `0x486`)), onReveal + "/content_bytes", `got "0x486": encoding/hex: odd length hex string`},
		{"content not hex", reveal(swap(revealFull, `0x48656C6C6F`, `0x48zz`)), onReveal + "/content_bytes", "hex"},
		{"content long and not hex", reveal(swap(revealFull, `0x48656C6C6F`, strings.Repeat("z", 5000))), onReveal + "/content_bytes", "(5000 bytes)"},
		{"content null", reveal(swap(revealFull, `"0x48656C6C6F"`, `null`)), onReveal + "/content_bytes", "nothing"},
		{"length is text", reveal(swap(revealFull, `"content_length":5`, `"content_length":"five"`)), onReveal + "/content_length", `got "five"`},
		{"number is text", reveal(swap(revealFull, `"classic":-5`, `"classic":"+5"`)), onReveal + "/inscription_number/classic", `got "+5"`},
		{"number beyond 64 bits", reveal(swap(revealFull, `"jubilee":100`, `"jubilee":9223372036854775808`)), onReveal + "/inscription_number/jubilee", "at most 64 bits"},
		{"number without jubilee", reveal(without(revealFull, "jubilee")), onReveal + "/inscription_number/jubilee", "nothing"},
		{"number without classic", reveal(without(revealFull, "classic")), onReveal + "/inscription_number/classic", "nothing"},
		{"number not whole", reveal(swap(revealBare, `-7`, `-7.5`)), onReveal + "/inscription_number", `got "-7.5"`},
		{"id in upper case", reveal(swap(revealFull, h("aa")+"i0", h("aa")+"I0")), onReveal + "/inscription_id", "an inscription id"},
		{"sat beyond the last", reveal(swap(revealFull, `257418248345364`, `2099999997690000`)), onReveal + "/ordinal_number", "below 2099999997690000"},
		{"sat negative", reveal(swap(revealFull, `257418248345364`, `-1`)), onReveal + "/ordinal_number", `got "-1"`},
		{"sat beyond 64 bits", reveal(swap(revealFull, `257418248345364`, `18446744073709551616`)), onReveal + "/ordinal_number", "a sat"},
		{"sat not whole", reveal(swap(revealFull, `257418248345364`, `1e3`)), onReveal + "/ordinal_number", `got "1e3"`},
		{"sat is a list", reveal(swap(revealFull, `257418248345364`, `[5]`)), onReveal + "/ordinal_number", `got "[5]"`},
		{"fee negative", reveal(swap(revealFull, `2805`, `-2805`)), onReveal + "/inscription_fee", `got "-2805"`},
		{"pointer beyond 64 bits", reveal(swap(revealFull, `18446744073709551615`, `18446744073709551616`)), onReveal + "/inscription_pointer", "at most 64 bits"},
		{"address is a number", reveal(swap(revealFull, `"bc1q"`, `5`)), onReveal + "/inscriber_address", `want a string, got "5"`},
		{"delegate is an object", reveal(swap(revealFull, `"`+h("dd")+`i1"`, `{}`)), onReveal + "/delegate", "a string"},
		{"parent is a list", reveal(swap(revealFull, `"0x`+h("ee")+`i2"`, `[]`)), onReveal + "/parent", "a string"},
		{"parents is text", reveal(swap(revealFull, `"parent":`, `"parents":`)), onReveal + "/parents", "an array"},
		{"parent among parents", reveal(swap(revealFull, `"parent":`, `"parents":["a",5],"parent":`)), onReveal + "/parents/1", `got "5"`},
		{"tx index beyond 32 bits", reveal(swap(revealFull, `"tx_index":7`, `"tx_index":4294967296`)), onReveal + "/tx_index", "at most 32 bits"},
		{"satpoint", reveal(swap(revealFull, `:0:0"`, `:0:x"`)), onReveal + "/satpoint_post_inscription", "txid:vout:offset"},
		{"satpoint is a number", reveal(swap(revealFull, `"0x`+h("aa")+`:0:0"`, `5`)), onReveal + "/satpoint_post_inscription", `got "5"`},
		{"charms beyond 16 bits", reveal(swap(revealFull, `"parent":`, `"charms":65536,"parent":`)), onReveal + "/charms", "at most 16 bits"},
		{"charms is a list", reveal(swap(revealFull, `"parent":`, `"charms":[],"parent":`)), onReveal + "/charms", "a whole number"},
		{"charm is a number", reveal(swap(revealFull, `"parent":`, `"charms":{"coin":1},"parent":`)), onReveal + "/charms/coin", "true or false"},
		{"curse broken", reveal(swap(revealFull, `"tag":66`, `"tag":[6`)), onReveal + "/curse_type/tag", "valid JSON"},

		{"transfer null", body(block(tx(transferred(`null`)))), `/apply/0/transactions/0/metadata/ordinal_operations/0`, "0 of them"},
		{"destination is text", transfer(swap(transferFull, `{"type":"transferred","value":"bc1p"}`, `"bc1p"`)), onTransfer + "/destination", "an object"},
		{"destination without type", transfer(without(transferFull, "type")), onTransfer + "/destination/type", "nothing"},
		{"destination value is a number", transfer(swap(transferFull, `"bc1p"`, `5`)), onTransfer + "/destination/value", "a string"},
		{"transfer sat", transfer(swap(transferFull, `"ordinal_number":5`, `"ordinal_number":2099999997690000`)), onTransfer + "/ordinal_number", "a sat"},
		{"transfer satpoint", transfer(swap(transferFull, `:1:5000`, `:1:-5`)), onTransfer + "/satpoint_post_transfer", "txid:vout:offset"},
		{"transfer value", transfer(swap(transferFull, `10000`, `{}`)), onTransfer + "/post_transfer_output_value", "a whole number"},

		{"token is text", token(`"deploy"`), onToken, "an object"},
		{"token empty", token(`{}`), onToken, "0 of them"},
		{"token of an unknown kind", token(`{"burn":{}}`), onToken, "one of deploy, mint, transfer and transfer_send"},
		{"token of two kinds", token(mintOp[:len(mintOp)-1] + `,` + sendOp[1:]), onToken, "2 of them"},
		{"mint null", token(`{"mint":null}`), onToken, "0 of them"},
		{"mint negative", token(swap(mintOp, `"10000"`, `"-10000"`)), onToken + "/mint/amt", `got "-10000"`},
		{"mint is a number", token(swap(mintOp, `"10000"`, `10000`)), onToken + "/mint/amt", "a decimal string"},
		{"mint with exponent", token(swap(mintOp, `"10000"`, `"1e4"`)), onToken + "/mint/amt", "decimal digits"},
		{"mint too precise", token(swap(mintOp, `"10000"`, `"0.0000000000000000001"`)), onToken + "/mint/amt", "at most 18"},
		{"sent twice negative", token(swap(sendOp, `"-9000`, `"--9000`)), onToken + "/transfer_send/amt", `got "--9000`},
		{"decimals 19", token(swap(deployOp, `"18"`, `"19"`)), onToken + "/deploy/dec", "from 0 to 18"},
		{"decimals negative", token(swap(deployOp, `"18"`, `-1`)), onToken + "/deploy/dec", "from 0 to 18"},
		{"max is empty", token(swap(deployOp, `"21000000.000000000000000000"`, `""`)), onToken + "/deploy/max", "decimal"},
		{"self mint is text", token(swap(deployOp, `"self_mint":true`, `"self_mint":"yes"`)), onToken + "/deploy/self_mint", "true or false"},
		{"token id", token(swap(mintOp, `%id%`, `x`)), onToken + "/mint/inscription_id", "an inscription id"},
		{"sender is not the address", token(without(sendOp, "sender_address")), onToken + "/transfer_send/sender_address", "nothing"},
		{"receiver null", token(swap(sendOp, `"receiver_address":""`, `"receiver_address":null`)), onToken + "/transfer_send/receiver_address", "nothing"},
		{"bad escape deep inside", reveal(swap(revealFull, `"n":[1e400]`, `"n/m":["\q"]`)), onReveal + "/metadata/n~1m/0", "valid JSON"},
	}
	for _, member := range []string{
		"inscription_id", "inscription_number", "ordinal_number", "content_bytes", "content_type", "content_length", "inscription_fee",
		"inscription_output_value", "satpoint_post_inscription", "tx_index",
	} {
		table = append(table, bad{"no " + member, reveal(without(revealFull, member)), onReveal + "/" + member, "got nothing"})
	}
	for _, member := range []string{"ordinal_number", "destination", "satpoint_pre_transfer", "satpoint_post_transfer", "tx_index"} {
		table = append(table, bad{"transfer without " + member, transfer(without(transferFull, member)), onTransfer + "/" + member, "got nothing"})
	}
	for _, member := range []string{"tick", "max", "dec", "address", "inscription_id"} {
		table = append(table, bad{"deploy without " + member, token(without(deployOp, member)), onToken + "/deploy/" + member, "got nothing"})
	}
	for _, member := range []string{"tick", "amt", "address", "inscription_id"} {
		table = append(table, bad{"mint without " + member, token(without(mintOp, member)), onToken + "/mint/" + member, "got nothing"})
	}
	for _, tt := range table {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			payload, err := ordinals.Decode([]byte(tt.body))
			if json.Valid([]byte(tt.body)) && tt.name != "array" && tt.name != "null" {
				if err != nil || len(payload.Faults) == 0 {
					t.Fatalf("got %v, %v, want a payload with a fault", payload, err)
				}
				err = payload.Faults[0]
			} else if payload != nil {
				t.Errorf("got a payload %v with the error", payload)
			}
			var field *nodeevent.FieldError
			if !errors.As(err, &field) {
				t.Fatalf("got %v, want a *FieldError", err)
			}
			if field.Path != tt.pointer {
				t.Errorf("got pointer %q, want %q (%v)", field.Path, tt.pointer, err)
			}
			if !strings.Contains(err.Error(), tt.message) {
				t.Errorf("got %q, want it to contain %q", err, tt.message)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	metadata := func(value string) string {
		return body(block(tx(revealed(strings.Replace(revealBare, `{`, `{"metadata":`+value+`,`, 1)))))
	}
	for _, text := range []string{metadata(deep(1 << 20)), metadata(strings.Repeat(`{"x":`, 1<<20))} {
		var field *nodeevent.FieldError
		if _, err := ordinals.Decode([]byte(text)); !errors.As(err, &field) {
			t.Errorf("got %v, want a *FieldError", err)
		} else if len(err.Error()) > 1000 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
	const fine = 9000
	got := decode(t, metadata(deep(fine))).Apply[0].Transactions[0].Operations[0].Reveal.Metadata
	same(t, "metadata", string(got), deep(fine))
}
