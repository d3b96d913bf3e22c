package apitest

import (
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/internal/testkit/must"
)

// minedTx is a transaction as it is put into a block of the world.
type MinedTx struct {
	Tx         *signed.Transaction // nil: an operation that came from Bitcoin
	ID         hash.Hash32         // default: of tx
	Status     string              // default success
	Result     clarity.Value       // default (ok true)
	VMError    any
	Operation  any // JSON
	Sender     any // of an operation
	Sequence   any // of a microblock
	Microblock any
	Events     []MinedEvent
}

// minedEvent is an event as it is put into the table.
type MinedEvent struct {
	Kind                                      string
	Unlock, Amount                            any
	Asset, Contract, Topic, Sender, Recipient any
	Value                                     clarity.Value
	Memo                                      []byte
}

var OkTrue = clarity.NewOk(clarity.NewBool(true))

// mine puts transactions into the block that came with an event, as its only ones, in the order of the block's list and,
// unless they are of microblocks, of execution.
func (s *Site) Mine(seq int, txs ...MinedTx) {
	s.T.Helper()
	s.Exec(`DELETE FROM chain_v1.event WHERE source_seq = $1`, seq)
	s.Exec(`DELETE FROM chain_v1.transaction WHERE source_seq = $1`, seq)
	s.Exec(`UPDATE chain_v1.block SET tx_count = $2 WHERE source_seq = $1`, seq, len(txs))
	inMicroblocks := 0
	for _, m := range txs {
		if m.Sequence != nil {
			inMicroblocks++
		}
	}
	executed, early := inMicroblocks, 0
	for i, m := range txs {
		at := executed
		if m.Sequence != nil {
			at = early
			early++
		} else {
			executed++
		}
		s.mineOne(seq, i, at, m)
	}
}

func (s *Site) mineOne(seq, index, execution int, m MinedTx) {
	s.T.Helper()
	raw, typeID, nonce, sender, contract, function := []byte{0}, any(nil), any(nil), m.Sender, any(nil), any(nil)
	if m.Tx != nil {
		raw, typeID, nonce, sender = m.Tx.Encode(), int(m.Tx.Payload.ID()), m.Tx.Nonce(), m.Tx.Sender().String()
		if m.ID.IsZero() {
			m.ID = m.Tx.TxID()
		}
		if call, ok := m.Tx.Payload.(*signed.ContractCall); ok {
			contract, function = call.Contract.String(), call.Function
		}
	}
	if m.Status == "" {
		m.Status = "success"
	}
	if m.Result.IsZero() {
		m.Result = OkTrue
	}
	s.Exec(`
		INSERT INTO chain_v1.transaction (source_seq, tx_index, execution_index, event_count, microblock_sequence, type_id, nonce, fee,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			txid, status, sender, contract_id, function_name, raw_result, raw_tx, microblock_hash, vm_error, burnchain_op)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 1, 2, 3, 4, 5, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		seq, index, execution, len(m.Events), m.Sequence, typeID, nonce, m.ID, m.Status, sender, contract, function,
		m.Result.Encode(), raw, m.Microblock, m.VMError, m.Operation)
	for i, e := range m.Events {
		var value any
		if !e.Value.IsZero() {
			value = e.Value.Encode()
		}
		s.Exec(`
			INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, unlock_height, amount, type, asset_identifier, contract_identifier, topic, sender, recipient, value, memo)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			seq, index, i, i, e.Unlock, e.Amount, e.Kind, e.Asset, e.Contract, e.Topic, e.Sender, e.Recipient, value, e.Memo)
	}
}

// deploy puts a contract into a block; abi is nil where the node did not say it.
func (s *Site) Deploy(seq, index int, contract string, version, abi any) {
	s.T.Helper()
	s.Exec(`INSERT INTO chain_v1.contract (source_seq, tx_index, clarity_version, contract_id, source_code, interface) VALUES ($1, $2, $3, $4, '(ok "1 < 2")', $5)`,
		seq, index, version, contract, abi)
}

// orphan adds a block that is not canonical, of a height, with the event seq.
func (s *Site) Orphan(seq, height int) {
	s.T.Helper()
	s.Exec(`
		INSERT INTO chain_v1.block
		SELECT (jsonb_populate_record(b, jsonb_build_object('source_seq', $1::bigint, 'tx_count', 0, 'index_block_hash', $3::text, 'block_hash', $4::text))).*
		FROM chain_v1.block b WHERE source_seq = $2`,
		seq, height+100, `\x`+ID(IndexHash, seq).String()[2:], `\x`+ID(BlockHash, seq).String()[2:])
}

// from makes a transaction of the world: of a payload, sent by an account.
func From(t testing.TB, n byte, nonce uint64, payload signed.Payload) *signed.Transaction {
	t.Helper()
	tx := must.Get(signed.Draft{Network: signed.Mainnet, Nonce: nonce, Fee: 180}.Transaction(payload))(t)
	tx.Origin.Signer = hash.Hash20{19: n}
	return tx
}

// call makes a call of a contract of the world.
func Call(t testing.TB, nonce uint64, contract, function string, arguments ...clarity.Value) *signed.Transaction {
	t.Helper()
	passed := must.Get(signed.NewArguments(arguments...))(t)
	return From(t, 1, nonce, &signed.ContractCall{Contract: Principal(t, contract), Function: function, Arguments: passed})
}

func Principal(t testing.TB, text string) clarity.Principal {
	t.Helper()
	return must.Get(clarity.ParsePrincipal(text))(t)
}

// transfer makes a transfer of STX of the world.
func Transfer(t testing.TB, nonce uint64) *signed.Transaction {
	t.Helper()
	memo := must.Get(signed.NewMemo("for \U0001f980\x00you"))(t)
	return From(t, 1, nonce, &signed.TokenTransfer{Recipient: Principal(t, Bob), Amount: 1250, Memo: memo})
}
