// Package synthblock writes Stacks blocks by hand, for histories that say what happens in each block. Their bodies have what readers
// of posts look at, and hashes that follow from names. Package synthchain makes whole blocks.
package synthblock

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/internal/synth/simulate"
)

// Block is a Stacks block.
type Block struct {
	Kind               string // begins the texts whose hashes the block has, so that those of two histories differ
	Name, Parent       string // the genesis block has no parent
	Height, BurnHeight int64
	Transactions       []Transaction
	Members            map[string]any // further members of the body
}

// Transaction is a transaction of a block. It fails without events.
type Transaction struct {
	Raw    []byte
	Failed bool
	Events []Event
}

// Event is an event of a transaction: its type, and the members of its data.
type Event struct {
	Type string
	Data map[string]any
}

// Print returns the event of a contract that prints a value.
func Print(contract string, value clarity.Value) Event {
	return Event{nodeevent.TypeContract, map[string]any{"contract_identifier": contract, "topic": "print", "raw_value": value.Hex()}}
}

// Hash returns the hash of a text.
func Hash(format string, args ...any) hash.Hash32 {
	return sha256.Sum256(fmt.Appendf(nil, format, args...))
}

// ID returns the index block hash of the block of a kind and a name.
func ID(kind, name string) hash.Hash32 { return Hash("%sblock %s", kind, name) }

// TxID returns the id of a block's transaction.
func TxID(kind, name string, index int) hash.Hash32 {
	return Hash("%stransaction %s %d", kind, name, index)
}

// BurnTime returns the time of a Bitcoin block.
func BurnTime(height int64) int64 { return 1_700_000_000 + 600*height }

// Post returns the block as a node posts it.
func (b *Block) Post() simulate.Post {
	transactions, events := []any{}, []any{}
	for i, tx := range b.Transactions {
		id, status := TxID(b.Kind, b.Name, i), nodeevent.StatusSuccess
		if tx.Failed {
			status = nodeevent.StatusAbortByResponse
		}
		transactions = append(transactions, map[string]any{
			"txid": id, "tx_index": i, "status": status, "raw_tx": fmt.Sprintf("0x%x", tx.Raw), "raw_result": "0x0703",
		})
		for _, e := range tx.Events {
			events = append(events, map[string]any{"txid": id, "event_index": len(events), "committed": true, "type": e.Type, e.Type: e.Data})
		}
	}
	parent := "0x" + strings.Repeat("ff", 32)
	if b.Parent != "" {
		parent = ID(b.Kind, b.Parent).String()
	}
	members := map[string]any{
		"block_height": b.Height, "index_block_hash": ID(b.Kind, b.Name), "block_hash": Hash("%sheader %s", b.Kind, b.Name),
		"parent_index_block_hash": parent, "burn_block_hash": Hash("%sBitcoin %d", b.Kind, b.BurnHeight), "burn_block_height": b.BurnHeight,
		"burn_block_time": BurnTime(b.BurnHeight), "matured_miner_rewards": []any{}, "transactions": transactions, "events": events,
	}
	maps.Copy(members, b.Members)
	body, err := json.Marshal(members)
	if err != nil {
		panic("synthblock: " + err.Error())
	}
	return simulate.Post{Path: nodeevent.PathBlock, Body: body}
}
