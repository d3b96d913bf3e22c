package readapi_test

import (
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	signed "strata/domain/transaction"
)

// minedTx is a transaction as it is put into a block of the world.
type minedTx struct {
	tx         *signed.Transaction // nil: an operation that came from Bitcoin
	id         hash.Hash32         // default: of tx
	status     string              // default success
	result     clarity.Value       // default (ok true)
	vmError    any
	operation  any // JSON
	sender     any // of an operation
	sequence   any // of a microblock
	microblock any
	events     []minedEvent
}

// minedEvent is an event as it is put into the table.
type minedEvent struct {
	kind                                      string
	unlock, amount                            any
	asset, contract, topic, sender, recipient any
	value                                     clarity.Value
	memo                                      []byte
}

var okTrue = clarity.NewOk(clarity.NewBool(true))

// mine puts transactions into the block that came with an event, as its only ones, in the order of the block's list and,
// unless they are of microblocks, of execution.
func (s *site) mine(seq int, txs ...minedTx) {
	s.t.Helper()
	s.exec(`DELETE FROM chain_v1.event WHERE source_seq = $1`, seq)
	s.exec(`DELETE FROM chain_v1.transaction WHERE source_seq = $1`, seq)
	s.exec(`UPDATE chain_v1.block SET tx_count = $2 WHERE source_seq = $1`, seq, len(txs))
	inMicroblocks := 0
	for _, m := range txs {
		if m.sequence != nil {
			inMicroblocks++
		}
	}
	executed, early := inMicroblocks, 0
	for i, m := range txs {
		at := executed
		if m.sequence != nil {
			at = early
			early++
		} else {
			executed++
		}
		s.mineOne(seq, i, at, m)
	}
}

func (s *site) mineOne(seq, index, execution int, m minedTx) {
	s.t.Helper()
	raw, typeID, nonce, sender, contract, function := []byte{0}, any(nil), any(nil), m.sender, any(nil), any(nil)
	if m.tx != nil {
		raw, typeID, nonce, sender = m.tx.Encode(), int(m.tx.Payload.ID()), m.tx.Nonce(), m.tx.Sender().String()
		if m.id.IsZero() {
			m.id = m.tx.TxID()
		}
		if call, ok := m.tx.Payload.(*signed.ContractCall); ok {
			contract, function = call.Contract.String(), call.Function
		}
	}
	if m.status == "" {
		m.status = "success"
	}
	if m.result.IsZero() {
		m.result = okTrue
	}
	s.exec(`
		INSERT INTO chain_v1.transaction (source_seq, tx_index, execution_index, event_count, microblock_sequence, type_id, nonce, fee,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			txid, status, sender, contract_id, function_name, raw_result, raw_tx, microblock_hash, vm_error, burnchain_op)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 1, 2, 3, 4, 5, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		seq, index, execution, len(m.events), m.sequence, typeID, nonce, m.id, m.status, sender, contract, function,
		m.result.Encode(), raw, m.microblock, m.vmError, m.operation)
	for i, e := range m.events {
		var value any
		if !e.value.IsZero() {
			value = e.value.Encode()
		}
		s.exec(`
			INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, unlock_height, amount, type, asset_identifier, contract_identifier, topic, sender, recipient, value, memo)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			seq, index, i, i, e.unlock, e.amount, e.kind, e.asset, e.contract, e.topic, e.sender, e.recipient, value, e.memo)
	}
}

// deploy puts a contract into a block; abi is nil where the node did not say it.
func (s *site) deploy(seq, index int, contract string, version, abi any) {
	s.t.Helper()
	s.exec(`INSERT INTO chain_v1.contract (source_seq, tx_index, clarity_version, contract_id, source_code, interface) VALUES ($1, $2, $3, $4, '(ok "1 < 2")', $5)`,
		seq, index, version, contract, abi)
}

// orphan adds a block that is not canonical, of a height, with the event seq.
func (s *site) orphan(seq, height int) {
	s.t.Helper()
	s.exec(`
		INSERT INTO chain_v1.block
		SELECT (jsonb_populate_record(b, jsonb_build_object('source_seq', $1::bigint, 'tx_count', 0, 'index_block_hash', $3::text, 'block_hash', $4::text))).*
		FROM chain_v1.block b WHERE source_seq = $2`,
		seq, height+100, `\x`+id(indexHash, seq).String()[2:], `\x`+id(blockHash, seq).String()[2:])
}

// from makes a transaction of the world: of a payload, sent by an account.
func from(t testing.TB, n byte, nonce uint64, payload signed.Payload) *signed.Transaction {
	t.Helper()
	tx, err := signed.Draft{Network: signed.Mainnet, Nonce: nonce, Fee: 180}.Transaction(payload)
	if err != nil {
		t.Fatal(err)
	}
	tx.Origin.Signer = hash.Hash20{19: n}
	return tx
}

// call makes a call of a contract of the world.
func call(t testing.TB, nonce uint64, contract, function string, arguments ...clarity.Value) *signed.Transaction {
	t.Helper()
	passed, err := signed.NewArguments(arguments...)
	if err != nil {
		t.Fatal(err)
	}
	return from(t, 1, nonce, &signed.ContractCall{Contract: principal(t, contract), Function: function, Arguments: passed})
}

func principal(t testing.TB, text string) clarity.Principal {
	t.Helper()
	p, err := clarity.ParsePrincipal(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// transfer makes a transfer of STX of the world.
func transfer(t testing.TB, nonce uint64) *signed.Transaction {
	t.Helper()
	memo, err := signed.NewMemo("for \U0001f980\x00you")
	if err != nil {
		t.Fatal(err)
	}
	return from(t, 1, nonce, &signed.TokenTransfer{Recipient: principal(t, bob), Amount: 1250, Memo: memo})
}
