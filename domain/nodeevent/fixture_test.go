package nodeevent_test

import (
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
)

// h returns a 32-byte hash in the text form of the node: one byte, repeated.
func h(digits string) string { return "0x" + strings.Repeat(digits, 32) }

func h32(t testing.TB, digits string) hash.Hash32 {
	t.Helper()
	return must.Get(hash.Parse32(h(digits)))(t)
}

// decodeAs decodes a body and expects a payload of type P.
func decodeAs[P nodeevent.Payload](t testing.TB, path, body string) P {
	t.Helper()
	payload, err := nodeevent.Decode(path, []byte(body))
	if err != nil {
		t.Fatalf("Decode(%s): %v", path, err)
	}
	p, ok := payload.(P)
	if !ok {
		t.Fatalf("Decode(%s): got %T, want %T", path, payload, p)
	}
	return p
}

// identity has the required members of a block.
var identity = `"block_hash":"` + h("01") + `","index_block_hash":"` + h("02") + `","parent_index_block_hash":"` + h("03") +
	`","block_height":7,"burn_block_hash":"` + h("04") + `","burn_block_height":700`

// block returns a block with more members.
func block(members ...string) string {
	return "{" + strings.Join(append([]string{identity}, members...), ",") + "}"
}

// tx returns a transaction with more members.
func tx(id string, members ...string) string {
	return `{"txid":"` + h(id) + `","tx_index":0,"status":"success","raw_tx":"0x0102","raw_result":"0x0703"` + strings.Join(append([]string{""}, members...), ",") + "}"
}

// event returns an event of type kind.
func event(id, index, kind, data string) string {
	return `{"txid":"` + h(id) + `","event_index":` + index + `,"committed":true,"type":"` + kind + `","` + kind + `":` + data + `}`
}

// block20 is a block in the form of the first releases.
var block20 = block(`"parent_block_hash":"`+h("05")+`"`, `"burn_block_time":1610645304`, `"miner_txid":"`+h("06")+`"`,
	`"parent_microblock":"`+h("00")+`"`, `"matured_miner_rewards":[]`, `"events":[]`,
	`"transactions":[{"contract_abi":{},"raw_result":"0x0703","raw_tx":"0x0102","status":"success","tx_index":0,"txid":"`+h("aa")+`"}]`)

// block205 is a block with microblocks and the fields of releases 2.0.11.2.0 to 2.05, with members in another order.
var block205 = `{"transactions":[` +
	tx("aa", `"execution_cost":{"read_count":1,"read_length":2,"runtime":3,"write_count":4,"write_length":5}`, `"microblock_hash":null`, `"microblock_sequence":null`, `"microblock_parent_hash":null`) + `,` +
	tx("cc", `"microblock_hash":"`+h("c0")+`"`, `"microblock_sequence":1`, `"microblock_parent_hash":"`+h("b0")+`"`) + `,` +
	strings.Replace(tx("bb", `"microblock_hash":"`+h("b0")+`"`, `"microblock_sequence":0`, `"microblock_parent_hash":"`+h("05")+`"`), `"tx_index":0`, `"tx_index":1`, 1) + `],` +
	`"matured_miner_rewards":[` +
	`{"recipient":"SP1","coinbase_amount":"1000000000","tx_fees_anchored":"300","tx_fees_streamed_confirmed":"60","from_stacks_block_hash":"` + h("10") + `","from_index_consensus_hash":"` + h("11") + `"},` +
	`{"recipient":"SP2","miner_address":"SP3","coinbase_amount":"0","tx_fees_anchored":"0","tx_fees_streamed_confirmed":"0","tx_fees_streamed_produced":"40","from_stacks_block_hash":"` + h("10") + `","from_index_consensus_hash":"` + h("11") + `"}],` +
	`"events":[` +
	event("aa", "3", "stx_transfer_event", `{"sender":"SP1","recipient":"SP2","amount":"5"}`) + `,` +
	event("aa", "0", "stx_lock_event", `{"locked_address":"SP1","locked_amount":"340282366920938463463374607431768211455","unlock_height":"1000"}`) + `,` +
	event("bb", "1", "nft_mint_event", `{"asset_identifier":"SP1.c::n","recipient":"SP1","raw_value":"0x0703","value":{"UInt":340282366920938463463374607431768211455}}`) + `],` +
	`"anchored_cost":{"read_count":1,"read_length":2,"runtime":3,"write_count":4,"write_length":5},"confirmed_microblocks_cost":{},` +
	`"parent_burn_block_hash":"` + h("07") + `","parent_burn_block_height":699,"parent_burn_block_timestamp":1600000000,"parent_microblock":"` + h("c0") + `","parent_microblock_sequence":1,` +
	identity + `}`

// block30 is a Nakamoto block of a recent release.
var block30 = block(`"block_time":1730000000`, `"burn_block_time":1729999000`, `"consensus_hash":"0x`+strings.Repeat("cc", 20)+`"`,
	`"pox_v1_unlock_height":781552`, `"pox_v2_unlock_height":787652`, `"pox_v3_unlock_height":840361`, `"pox_v4_unlock_height":4294967295`,
	`"signer_bitvec":"0006000000013d"`, `"signer_signature_hash":"`+h("01")+`"`, `"miner_signature":"0x`+strings.Repeat("55", 65)+`"`,
	`"signer_signature":["`+strings.Repeat("66", 65)+`"]`, `"tenure_height":5`, `"cycle_number":84`,
	`"reward_set":{"pox_ustx_threshold":"50000000000","rewarded_addresses":["bc1q",{"Standard":[{"bytes":"00","version":22},"SerializeP2PKH"]}],`+
		`"signers":[{"signing_key":"`+strings.Repeat("02", 33)+`","stacked_amt":"100","weight":3}],"start_cycle_state":{"missed_reward_slots":[[{"a":1},18446744073709551616]]}}`,
	`"transactions":[`+tx("aa", `"contract_interface":{"functions":[]}`, `"burnchain_op":null`, `"vm_error":"a\u0000\nb"`, `"problematic_skipped":4`, `"some_new_field":[[{}]]`)+`,`+
		strings.Replace(tx("bb"), "success", "abort_by_post_condition", 1)+`,`+strings.Replace(tx("cc"), `"tx_index":0,"status":"success"`, `"status":"a_new_status"`, 1)+`,`+tx("dd")+`]`,
	`"events":[`+event("dd", "9", "contract_event", `{"contract_identifier":"SP1.c","topic":"print","raw_value":"0x0703"}`)+`,`+
		event("aa", "4", "ft_transfer_event", `{"asset_identifier":"SP1.c::t","sender":"SP1","recipient":"SP2","amount":"12"}`)+`,`+
		strings.Replace(event("bb", "3", "ft_mint_event", `{"asset_identifier":"SP1.c::t","recipient":"SP2","amount":"12"}`), `"committed":true`, `"committed":false`, 1)+`,`+
		event("cc", "5", "ft_burn_event", `{"asset_identifier":"SP1.c::t","sender":"SP2","amount":"12"}`)+`,`+
		event("dd", "7", "data_var_set_event", `{"var":[1,2]}`)+`,`+
		strings.Replace(event("dd", "8", "stx_burn_event", `{"sender":"SP2","amount":12}`), `"committed":true`, `"committed":false`, 1)+`,`+
		event("aa", "1", "stx_transfer_event", `{"sender":"SP1","recipient":"SP2","amount":"12","memo":"`+strings.Repeat("41", 34)+`"}`)+`,`+
		event("aa", "2", "stx_transfer_event", `{"sender":"SP1","recipient":"SP2","amount":"12","memo":""}`)+`]`)

var (
	position = `"burn_block_height":1,"burn_header_hash":"` + strings.Repeat("ab", 32) + `","burn_txid":"` + strings.Repeat("cd", 32) + `","vtxindex":3`
	addr     = `{"address":"SP1","address_hash_bytes":"0x` + strings.Repeat("11", 20) + `","address_version":22}`
)

var burnOps = block(`"events":[]`, `"transactions":[`+
	strings.Join([]string{
		burnTx("a0", `{"transfer_stx":{`+position+`,"memo":"0x6869","sender":`+addr+`,"recipient":`+addr+`,"transfered_ustx":18446744073709551616}}`),
		burnTx("a1", `{"stack_stx":{`+position+`,"num_cycles":12,"reward_addr":"bc1q","sender":`+addr+`,"stacked_ustx":5,"signer_key":"`+strings.Repeat("02", 33)+`","max_amount":3.402823669209385e+38,"auth_id":7}}`),
		burnTx("a2", `{"stack_stx":{`+position+`,"num_cycles":12,"reward_addr":"bc1q","sender":`+addr+`,"stacked_ustx":5,"signer_key":null,"max_amount":null,"auth_id":null}}`),
		burnTx("a3", `{"delegate_stx":{`+position+`,"delegate_to":`+addr+`,"delegated_ustx":6,"sender":`+addr+`,"reward_addr":[1,"bc1q"],"until_burn_height":900}}`),
		burnTx("a4", `{"vote_for_aggregate_key":{`+position+`,"aggregate_key":"`+strings.Repeat("03", 33)+`","reward_cycle":8,"round":1,"sender":`+addr+`,"signer_index":2,"signer_key":"0202"}}`),
		burnTx("a5", `{"a_new_op": {"x":1} }`),
		burnTx("a6", `null`),
	}, ",")+`]`)

func burnTx(id, op string) string {
	return strings.Replace(tx(id, `"burnchain_op":`+op), `"0x0102"`, `"0x00"`, 1)
}

// zeros are all digits of a hash but the last.
const zeros = "000000000000000000000000000000000000000000000000000000000000000"

const (
	burnBlock20 = `{"burn_block_hash":"0x` + zeros + `9","burn_block_height":666051,"burn_amount":20000,"reward_recipients":[]}`
	burnBlock33 = `{"burn_block_hash":"0x` + zeros + `9","burn_block_height":900000,"burn_amount":0,` +
		`"reward_recipients":[{"recipient":"bc1q","amt":40000},{"recipient":"1abc","amt":"50000"}],"reward_slot_holders":["bc1q","bc1q"],` +
		`"consensus_hash":"0x1111111111111111111111111111111111111111","parent_burn_block_hash":"0x` + zeros + `8",` +
		`"pox_transactions":[{"txid":"0x` + zeros + `7","reward_recipients":[{"recipient":"bc1q","amt":40000,"utxo_idx":2}]}]}`
)

var microblocks = `{"parent_index_block_hash":"` + h("02") + `","burn_block_hash":"` + h("04") + `","burn_block_height":700,"burn_block_timestamp":1620000000,"transactions":[` +
	tx("c1", `"microblock_hash":"`+h("c0")+`"`, `"microblock_sequence":1`, `"microblock_parent_hash":"`+h("b0")+`"`) + `,` +
	strings.Replace(tx("b2", `"microblock_hash":"`+h("b0")+`"`, `"microblock_sequence":0`, `"microblock_parent_hash":"`+h("01")+`"`), `"tx_index":0`, `"tx_index":1`, 1) + `,` +
	tx("b1", `"microblock_hash":"`+h("b0")+`"`, `"microblock_sequence":0`, `"microblock_parent_hash":"`+h("01")+`"`) + `],"events":[` +
	event("b1", "0", "stx_mint_event", `{"recipient":"SP1","amount":"1"}`) + `]}`

const (
	mempoolTx = `["0x0001","0xFF"]`
	dropTx    = `{"dropped_txids":["0x` + zeros + `7"],"reason":"ReplaceByFee","new_txid":"0x` + zeros + `8"}`
	dropTxOld = `{"dropped_txids":[],"reason":"a_new_reason"}`

	attachments = `[{"attachment_index":5,"index_block_hash":"0x` + zeros + `7","block_height":"123",` +
		`"content_hash":"0x1111111111111111111111111111111111111111","contract_id":"SP1.bns","metadata":"0x0c",` +
		`"tx_id":"0x` + zeros + `8","content":"0x6869"},` +
		`{"attachment_index":6,"index_block_hash":"0x` + zeros + `7","block_height":124,"contract_id":"SP1.bns","tx_id":"0x` + zeros + `8"}]`

	stackerDB = `{"contract_id":{"name":"miners","issuer":[26,[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,255]]},` +
		`"modified_slots":[{"slot_id":1,"slot_version":2,"sig":"00ff","data":"6869"}]}`
	stackerDBDoc = `{"contract_id":"SP1.miners","modified_slots":[]}`

	proposalOK = `{"result":"Ok","signer_signature_hash":"` + zeros + `9","cost":{"runtime":7},"size":180,"validation_time_ms":12,` +
		`"replay_tx_hash":18446744073709552000,"replay_tx_exhausted":true}`
	proposalNo = `{"result":"Reject","signer_signature_hash":"` + zeros + `9","reason":"Bad \"block\"",` +
		`"reason_code":"BadBlockHash","failed_txid":"` + zeros + `8"}`
)
