package ordinals_test

import (
	"reflect"
	"strings"

	"strata/domain/hash"
	"strata/internal/testkit/must"
)

// tb has the methods that both *testing.T and *rapid.T have.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func same(t tb, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

func ptr[T any](v T) *T { return &v }

// h returns a 32-byte hash without 0x: one byte, repeated.
func h(digits string) string { return strings.Repeat(digits, 32) }

func h32(t tb, digits string) hash.Hash32 {
	t.Helper()
	return must.Get(hash.Parse32(h(digits)))(t)
}

// body returns a payload with blocks to apply and blocks to roll back.
func body(apply string, rollback ...string) string {
	return `{"chainhook":{"uuid":"1c2d","predicate":{"scope":"ordinals_protocol","operation":"inscription_feed","meta_protocols":["brc-20"]},"is_streaming_blocks":true},` +
		`"apply":[` + apply + `],"rollback":[` + strings.Join(rollback, ",") + `]}`
}

// block returns a block with transactions.
func block(transactions ...string) string {
	return `{"block_identifier":{"index":775617,"hash":"0x` + h("01") + `"},"parent_block_identifier":{"index":775616,"hash":"` + h("02") + `"},` +
		`"timestamp":1676913207,"transactions":[` + strings.Join(transactions, ",") + `],"metadata":{"network":"mainnet"}}`
}

// tx returns a transaction with operations.
func tx(operations ...string) string {
	return `{"transaction_identifier":{"hash":"0x` + h("aa") + `"},"operations":[],"metadata":{"index":7,"ordinal_operations":[` +
		strings.Join(operations, ",") + `],"brc20_operation":null,"proof":null,"fee":5,"inputs":[],"outputs":[]}}`
}

// brc20 returns a transaction with a BRC-20 operation.
func brc20(operation string) string {
	return strings.Replace(tx(), `"brc20_operation":null`, `"brc20_operation":`+operation, 1)
}

func revealed(reveal string) string { return `{"inscription_revealed":` + reveal + `}` }

func transferred(transfer string) string { return `{"inscription_transferred":` + transfer + `}` }

// revealFull is a reveal with all members of the feed of 2024.
var revealFull = `{"content_bytes":"0x48656C6C6F","content_type":"text/plain\u0000;charset=utf-8","content_length":5,` +
	`"inscription_number":{"classic":-5,"jubilee":100},"inscription_fee":2805,"inscription_output_value":10000,"inscription_id":"` + h("aa") + `i0",` +
	`"inscription_input_index":2,"inscription_pointer":18446744073709551615,"inscriber_address":"bc1q","delegate":"` + h("dd") + `i1","metaprotocol":"brc-20",` +
	`"metadata": {"foo":"b\u0000r", "n":[1e400]} ,"parent":"0x` + h("ee") + `i2","ordinal_number":257418248345364,"ordinal_block_height":650000,"ordinal_offset":3,` +
	`"tx_index":7,"transfers_pre_inscription":4,"satpoint_post_inscription":"0x` + h("aa") + `:0:0","curse_type":{"tag":66}}`

// revealBare is a reveal with only the required members, in the forms of very old feeds and of other indexers.
var revealBare = `{"content_bytes":"0x","content_type":"unknown","content_length":"0","inscription_number":-7,"inscription_fee":0,"inscription_output_value":0,` +
	`"inscription_id":"0x` + h("bb") + `i4294967295","ordinal_number":0,"tx_index":0,"satpoint_post_inscription":"` + h("cc") + `:0"}`

// revealNew is a reveal in the form of the newest feeds.
var revealNew = strings.NewReplacer(
	`"parent":"0x`+h("ee")+`i2"`, `"parents":["`+h("ee")+`i2","",null,"`+h("ef")+`i0","`+h("ee")+`i2"],"charms":{"coin":true,"cursed":false,"palindrome":true,"a_new_one":{}},"unbound_sequence":9`,
	`"curse_type":{"tag":66}`, `"curse_type":"Pushnum"`,
	`"delegate":"`+h("dd")+`i1","metaprotocol":"brc-20"`, `"delegate":"","metaprotocol":null`,
	`"inscriber_address":"bc1q"`, `"inscriber_address":""`,
).Replace(revealFull)

var transferFull = `{"ordinal_number":5,"destination":{"type":"transferred","value":"bc1p"},"satpoint_pre_transfer":"` + h("aa") + `:0:0",` +
	`"satpoint_post_transfer":"0x` + h("bb") + `:1:5000","post_transfer_output_value":10000,"tx_index":1019}`

const (
	deployOp   = `{"deploy":{"tick":"PePe","max":"21000000.000000000000000000","lim":"1000.5","dec":"18","address":"bc1q","inscription_id":"%id%","self_mint":true}}`
	mintOp     = `{"mint":{"tick":"pepe","amt":"10000","address":"bc1q","inscription_id":"%id%"}}`
	transferOp = `{"transfer":{"tick":"🔥É","amt":"0.000000000000000001","address":"bc1q","inscription_id":"%id%"}}`
	sendOp     = `{"transfer_send":{"tick":"pepe","amt":"-9000.000000000000000000","sender_address":"bc1q","receiver_address":"","inscription_id":"%id%"}}`
)

// withID replaces the placeholder %id% by an inscription id.
func withID(text string) string { return strings.ReplaceAll(text, "%id%", h("aa")+"i0") }

// fixtures are valid bodies. They are also the seeds of the fuzz target.
var fixtures = []string{
	body(""),
	body(block()),
	body(block(tx(revealed(revealFull), revealed(revealNew), transferred(transferFull)), tx(revealed(revealBare))), block(tx()), block()),
	body(block(brc20(withID(deployOp)), brc20(withID(mintOp)), brc20(withID(transferOp)), brc20(withID(sendOp)))),
}
