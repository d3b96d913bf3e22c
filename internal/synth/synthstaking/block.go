package synthstaking

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
)

// Post is what a node posts.
type Post struct {
	Path string
	Body []byte
}

// Block is a Stacks block. Its hashes follow from its name.
type Block struct {
	Name, Parent string // the genesis block has no parent
	Height       int64
	BurnHeight   int64
	Contract     string            // who prints
	Prints       [][]clarity.Value // by transaction
	Members      map[string]any    // further members of the body
}

// Hash returns the hash of a text: blocks are identified by those of "block" and "header" with their names.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "0x" + hex.EncodeToString(sum[:])
}

// IndexHash returns the index_block_hash of the block of a name.
func IndexHash(name string) string { return Hash("block " + name) }

// TxID returns the id of a transaction of a block.
func TxID(block string, index int) string { return Hash(fmt.Sprint("transaction ", block, " ", index)) }

// BurnTime returns the time of a Bitcoin block.
func BurnTime(height int64) int64 { return 1_700_000_000 + 600*height }

// Post returns the block as a node posts it.
func (b *Block) Post() Post {
	transactions, events := []any{}, []any{}
	for i, prints := range b.Prints {
		draft := transaction.Draft{Network: transaction.Testnet, Nonce: uint64(b.Height)}
		tx, err := draft.Transaction(&transaction.Coinbase{})
		must(err)
		must(transaction.Sign(tx, key.FromSeed([]byte("caller"))))
		transactions = append(transactions, map[string]any{
			"txid": TxID(b.Name, i), "tx_index": i, "status": "success", "raw_tx": "0x" + hex.EncodeToString(tx.Encode()), "raw_result": "0x0703",
		})
		for _, v := range prints {
			events = append(events, map[string]any{
				"txid": TxID(b.Name, i), "event_index": len(events), "committed": true, "type": "contract_event",
				"contract_event": map[string]any{"contract_identifier": b.Contract, "topic": "print", "raw_value": v.Hex()},
			})
		}
	}
	parent := "0x" + strings.Repeat("ff", 32)
	if b.Parent != "" {
		parent = IndexHash(b.Parent)
	}
	body := map[string]any{
		"block_height": b.Height, "index_block_hash": IndexHash(b.Name), "block_hash": Hash("header " + b.Name), "parent_index_block_hash": parent,
		"burn_block_hash": Hash(fmt.Sprint("Bitcoin ", b.BurnHeight)), "burn_block_height": b.BurnHeight, "burn_block_time": BurnTime(b.BurnHeight),
		"block_time": BurnTime(b.BurnHeight) + 30, "matured_miner_rewards": []any{}, "transactions": transactions, "events": events,
	}
	maps.Copy(body, b.Members)
	text, err := json.Marshal(body)
	must(err)
	return Post{"/new_block", text}
}

// Set returns the members of the body of a block with the set of signers of a cycle: the µSTX of each key.
func Set(cycle int64, staked map[byte]int64) map[string]any {
	signers := []any{}
	for _, n := range slices.Sorted(maps.Keys(staked)) {
		ustx := staked[n]
		signers = append(signers, map[string]any{"signing_key": hex.EncodeToString(Key(n)), "stacked_amt": fmt.Sprint(ustx), "weight": ustx / 1_000_000_000})
	}
	return map[string]any{"cycle_number": cycle, "reward_set": map[string]any{"rewarded_addresses": []any{}, "signers": signers, "pox_ustx_threshold": nil}}
}
