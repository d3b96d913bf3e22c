// Package bnschain makes bodies of blocks with calls of BNS-V2: those of the vectors' trace, and those of a simulator
// of the contract that also knows the state to arrive at.
package bnschain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/internal/testkit/replay"
)

// Names and Zonefiles are the contracts that are called.
const (
	Names     = bns.MainnetDeployer + "." + bns.NamesContract
	Zonefiles = bns.MainnetDeployer + "." + bns.ZonefilesContract
	Asset     = Names + "::" + bns.Asset
)

// Call is a transaction that calls a contract, with its events.
type Call struct {
	Contract, Function string
	Args               []clarity.Value
	Sender             string // an address of mainnet
	Failed             bool
	Events             []Event
	// Deploys makes the transaction the deployment of a contract with this name, whose body does all that.
	Deploys string
	// Source is the source of that contract; empty for one that is of no interest.
	Source string
}

// Event is an event of a transaction: its type, and the members of its data.
type Event struct {
	Type string
	Data map[string]any
}

// Block is a block of calls.
type Block struct {
	Name, Parent string // the name ends in the height
	Height       int64
	// BurnHeight is what contracts read in the block.
	BurnHeight int64
	// Old is set for a block before epoch 3.0, which is one Bitcoin block later than what contracts read.
	Old   bool
	Calls []Call
}

// ID returns the index block hash of a block.
func ID(name string) hash.Hash32 { return sha256.Sum256([]byte("bns block " + name)) }

// TxID returns the id of a block's transaction.
func TxID(name string, index int) hash.Hash32 {
	return sha256.Sum256(fmt.Appendf(nil, "bns transaction %s %d", name, index))
}

// Post returns the block as a node posts it.
func (b Block) Post(t testing.TB) replay.Post {
	t.Helper()
	burn := b.BurnHeight
	if b.Old {
		burn++
	}
	transactions, events := []any{}, []any{}
	for i, call := range b.Calls {
		id, status := TxID(b.Name, i), nodeevent.StatusSuccess
		if call.Failed {
			status = nodeevent.StatusAbortByResponse
		}
		transactions = append(transactions, map[string]any{
			"txid": id, "tx_index": i, "status": status, "raw_tx": fmt.Sprintf("0x%x", call.raw(t)), "raw_result": "0x0703",
		})
		for _, e := range call.Events {
			events = append(events, map[string]any{"txid": id, "event_index": len(events), "committed": true, "type": e.Type, e.Type: e.Data})
		}
	}
	members := map[string]any{
		"block_height": b.Height, "index_block_hash": ID(b.Name), "block_hash": hash.Hash32(sha256.Sum256([]byte("bns header " + b.Name))),
		"parent_index_block_hash": ID(b.Parent), "burn_block_hash": hash.Hash32(sha256.Sum256(fmt.Appendf(nil, "bns Bitcoin %d", burn))),
		"burn_block_height": burn, "burn_block_time": 1_700_000_000 + 600*burn, "matured_miner_rewards": []any{},
		"transactions": transactions, "events": events,
	}
	if b.Parent == "" {
		members["parent_index_block_hash"] = "0x" + strings.Repeat("ff", 32)
	}
	if b.Old {
		members["parent_burn_block_height"] = b.BurnHeight
	} else {
		members["signer_bitvec"] = "000800000001ff"
		members["signer_signature_hash"] = hash.Hash32{1}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Post{Path: nodeevent.PathBlock, Body: text}
}

// raw returns the bytes of the transaction, which nobody has signed.
func (c *Call) raw(t testing.TB) []byte {
	t.Helper()
	sender, err := clarity.ParsePrincipal(c.Sender)
	if err != nil {
		t.Fatal(err)
	}
	source := c.Source
	if source == "" {
		source = "(ok true)"
	}
	var payload transaction.Payload = &transaction.SmartContract{ContractName: c.Deploys, Code: []byte(source)}
	if c.Deploys == "" {
		contract, err := clarity.ParsePrincipal(c.Contract)
		if err != nil {
			t.Fatal(err)
		}
		arguments, err := transaction.NewArguments(c.Args...)
		if err != nil {
			t.Fatal(err)
		}
		payload = &transaction.ContractCall{Contract: contract, Function: c.Function, Arguments: arguments}
	}
	tx, err := transaction.Draft{Network: transaction.Mainnet}.Transaction(payload)
	if err != nil {
		t.Fatal(err)
	}
	tx.Origin.Signer = sender.Address.Hash160
	return tx.Encode()
}

// Print returns the event of a contract that prints a value.
func Print(contract string, value clarity.Value) Event {
	return Event{nodeevent.TypeContract, map[string]any{"contract_identifier": contract, "topic": "print", "raw_value": value.Hex()}}
}

// Mint returns the event of a new token, which stands for a name.
func Mint(id uint64, to string) Event { return token(nodeevent.TypeNFTMint, id, "recipient", to) }

// Transfer returns the event of a token that changes hands.
func Transfer(id uint64, from, to string) Event {
	return token(nodeevent.TypeNFTTransfer, id, "sender", from, "recipient", to)
}

// Burn returns the event of a token's end.
func Burn(id uint64, from string) Event { return token(nodeevent.TypeNFTBurn, id, "sender", from) }

func token(kind string, id uint64, members ...string) Event {
	data := map[string]any{"asset_identifier": Asset, "raw_value": clarity.NewUint64(id).Hex()}
	for i := 0; i < len(members); i += 2 {
		data[members[i]] = members[i+1]
	}
	return Event{kind, data}
}

// BurnSTX returns the event of an account that burns µSTX.
func BurnSTX(from, amount string) Event {
	return Event{nodeevent.TypeSTXBurn, map[string]any{"sender": from, "amount": amount}}
}

// TransferSTX returns the event of a transfer of µSTX.
func TransferSTX(from, to, amount string) Event {
	return Event{nodeevent.TypeSTXTransfer, map[string]any{"sender": from, "recipient": to, "amount": amount}}
}
