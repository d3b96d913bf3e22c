package rosetta_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/rig/replay"
)

// Accounts of the world.
var (
	alice, bob, carol = key.FromSeed([]byte("alice")), key.FromSeed([]byte("bob")), key.FromSeed([]byte("carol"))
)

func address(k key.Private) string { return k.Address(false).String() }

func addressOf(k key.Private) clarity.Principal { return clarity.Principal{Address: k.Address(false)} }

// mined is a transaction of a block.
type mined struct {
	raw       []byte
	status    string // success if empty
	events    []event
	functions []any // of the interface of the contract that it deploys
}

// event is an event of a transaction: the type and its members.
type event struct {
	kind    string
	members map[string]any
}

func (m mined) id() hash.Hash32 { return transaction.ID(m.raw) }

// newBlock is the body of a block; its hashes follow from its name.
type newBlock struct {
	name, parent string
	height       int64
	burnHeight   int64
	nakamoto     bool
	transactions []mined
	rewards      []map[string]any
}

func blockHash(name string) hash.Hash32 { return sha256.Sum256([]byte("block " + name)) }
func indexHash(name string) hash.Hash32 { return sha256.Sum256([]byte("index " + name)) }

func (b newBlock) post(t testing.TB) replay.Post {
	t.Helper()
	transactions, events := []any{}, []any{}
	for i, tx := range b.transactions {
		status := tx.status
		if status == "" {
			status = "success"
		}
		shown := map[string]any{"txid": tx.id(), "tx_index": i, "status": status, "raw_tx": "0x" + hex.EncodeToString(tx.raw), "raw_result": "0x0703"}
		if tx.functions != nil {
			shown["contract_interface"] = map[string]any{"functions": tx.functions, "variables": []any{}, "maps": []any{}, "fungible_tokens": []any{}, "non_fungible_tokens": []any{}}
		}
		transactions = append(transactions, shown)
		for _, e := range tx.events {
			events = append(events, map[string]any{"txid": tx.id(), "event_index": len(events), "committed": true, "type": e.kind, e.kind: e.members})
		}
	}
	if b.rewards == nil {
		b.rewards = []map[string]any{}
	}
	members := map[string]any{
		"block_height": b.height, "index_block_hash": indexHash(b.name), "block_hash": blockHash(b.name),
		"parent_index_block_hash": indexHash(b.parent), "parent_block_hash": blockHash(b.parent),
		"burn_block_hash": hash.Hash32(sha256.Sum256(fmt.Appendf(nil, "burn %d", b.burnHeight))), "burn_block_height": b.burnHeight,
		"burn_block_time": 1_600_000_000 + b.burnHeight, "matured_miner_rewards": b.rewards, "transactions": transactions, "events": events,
	}
	if b.nakamoto {
		members["signer_bitvec"], members["block_time"] = "00010000000101", 1_700_000_000+b.height
		members["signer_signature_hash"] = blockHash("signatures of " + b.name)
	}
	body := must.Get(json.Marshal(members))(t)
	return replay.Post{Path: "/new_block", Body: body}
}

// sign returns a signed transaction.
func sign(t testing.TB, k key.Private, tx *transaction.Transaction, err error) []byte {
	t.Helper()
	if err == nil {
		err = transaction.Sign(tx, k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tx.Encode()
}

func draft(nonce, fee uint64) transaction.Draft {
	return transaction.Draft{Network: transaction.Testnet, Nonce: nonce, Fee: fee}
}

// paid is a token transfer with its event.
func paid(t testing.TB, from key.Private, nonce, fee uint64, to string, amount uint64, memo string) mined {
	t.Helper()
	recipient := must.Get(clarity.ParsePrincipal(to))(t)
	tx, err := draft(nonce, fee).TokenTransfer(recipient, amount, memo)
	return mined{raw: sign(t, from, tx, err), events: []event{moved(address(from), to, amount)}}
}

func moved(from, to string, amount uint64) event {
	return event{"stx_transfer_event", map[string]any{"sender": from, "recipient": to, "amount": fmt.Sprint(amount)}}
}

func minted(to string, amount uint64) event {
	return event{"stx_mint_event", map[string]any{"recipient": to, "amount": fmt.Sprint(amount)}}
}

func locked(account string, amount, until uint64) event {
	return event{"stx_lock_event", map[string]any{
		"locked_address": account, "locked_amount": fmt.Sprint(amount), "unlock_height": fmt.Sprint(until), "contract_identifier": "ST000000000000000000002AMW42H.pox-4",
	}}
}

// call is a contract call with its events.
func call(t testing.TB, from key.Private, nonce, fee uint64, contract, function string, arguments []clarity.Value, events ...event) mined {
	t.Helper()
	p := must.Get(clarity.ParsePrincipal(contract))(t)
	args := must.Get(transaction.NewArguments(arguments...))(t)
	tx, err := draft(nonce, fee).Transaction(&transaction.ContractCall{Contract: p, Function: function, Arguments: args})
	return mined{raw: sign(t, from, tx, err), events: events}
}

func coinbase(t testing.TB, miner key.Private, nonce uint64) mined {
	t.Helper()
	tx, err := draft(nonce, 0).Transaction(&transaction.Coinbase{Data: transaction.CoinbaseData{1}})
	return mined{raw: sign(t, miner, tx, err)}
}
