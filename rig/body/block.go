package body

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/rig/replay"
)

// Genesis is the name of the genesis block.
const Genesis = "genesis"

// Block is the body of /new_block.
type Block struct {
	Name, Parent string
	Burn         string // the Bitcoin block of its tenure
	Old          bool   // leave out the sortition, like nodes before release 3.1.0.0.4
	Transactions []Transaction
	Rewards      []Reward
	// Members replace members of the body with the same names; nil deletes a member.
	Members map[string]any
}

// Transaction is an entry of a block's transactions.
type Transaction struct {
	Raw     []byte
	Status  string // "success" if empty
	Events  []Event
	Members map[string]any // as in Block
}

// Event is an entry of a block's events.
type Event struct {
	Type        string
	Data        map[string]any
	Uncommitted bool
}

// Reward is an entry of matured_miner_rewards.
type Reward struct {
	Recipient                                         string
	Coinbase, Anchored, StreamedConfirmed, StreamedOf uint64
}

// ID returns the index_block_hash of a Stacks block.
func ID(name string) hash.Hash32 { return sha256.Sum256([]byte("block " + name)) }

// Height returns the height of a Stacks or Bitcoin block, which its name contains.
func Height(name string) int64 {
	digits := strings.TrimFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	if digits == "" {
		return 0
	}
	height, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("block %q: %v", name, err))
	}
	return height
}

// BurnHash returns the hash of a Bitcoin block.
func BurnHash(name string) hash.Hash32 {
	return sha256.Sum256([]byte("Bitcoin " + strings.TrimRight(name, "'")))
}

// Consensus returns the consensus hash of a Bitcoin block's sortition.
func Consensus(burn string) (h hash.Hash20) {
	sum := sha256.Sum256([]byte("sortition " + burn))
	copy(h[:], sum[:])
	return h
}

// TxID returns the id of the transaction at an index of a block. It does not depend on the transaction's bytes, which need
// not be a valid transaction.
func TxID(block string, index int) hash.Hash32 {
	return sha256.Sum256(fmt.Appendf(nil, "transaction %s %d", block, index))
}

// Post returns the block as a node posts it.
func (b Block) Post() replay.Post {
	transactions, events, rewards := []any{}, []any{}, []any{}
	for i, tx := range b.Transactions {
		id := TxID(b.Name, i)
		entry := map[string]any{
			"txid": id, "tx_index": i, "status": tx.Status, "raw_tx": fmt.Sprintf("0x%x", tx.Raw), "raw_result": "0x0703",
		}
		if tx.Status == "" {
			entry["status"] = string(nodeevent.StatusSuccess)
		}
		put(entry, tx.Members)
		transactions = append(transactions, entry)
		for _, e := range tx.Events {
			events = append(events, map[string]any{
				"txid": id, "event_index": len(events), "committed": !e.Uncommitted, "type": e.Type, e.Type: e.Data,
			})
		}
	}
	for _, r := range b.Rewards {
		rewards = append(rewards, map[string]any{
			"recipient": r.Recipient, "coinbase_amount": fmt.Sprint(r.Coinbase), "tx_fees_anchored": fmt.Sprint(r.Anchored),
			"tx_fees_streamed_confirmed": fmt.Sprint(r.StreamedConfirmed), "tx_fees_streamed_produced": fmt.Sprint(r.StreamedOf),
		})
	}
	members := map[string]any{
		"block_height":            Height(b.Name),
		"index_block_hash":        ID(b.Name),
		"block_hash":              hash.Hash32(sha256.Sum256([]byte("header " + b.Name))),
		"parent_index_block_hash": ID(b.Parent),
		"burn_block_hash":         BurnHash(b.Burn),
		"burn_block_height":       Height(b.Burn),
		"burn_block_time":         1_700_000_000 + 600*Height(b.Burn),
		"consensus_hash":          Consensus(b.Burn),
		"matured_miner_rewards":   rewards,
		"transactions":            transactions,
		"events":                  events,
	}
	if b.Old {
		delete(members, "consensus_hash")
	}
	if b.Name == Genesis {
		members["parent_index_block_hash"] = "0x" + strings.Repeat("ff", 32)
	}
	put(members, b.Members)
	return post(nodeevent.PathBlock, members)
}

// BurnBlock is the body of /new_burn_block.
type BurnBlock struct {
	Name   string
	Parent string // empty to leave out the parent, like nodes before release 3.1.0.0.9
	Old    bool   // leave out the sortition, like nodes before release 3.1.0.0.4
	// Members replace members of the body as in Block.
	Members map[string]any
}

// Post returns the Bitcoin block as a node posts it.
func (b BurnBlock) Post() replay.Post {
	members := map[string]any{
		"burn_block_hash": BurnHash(b.Name), "burn_block_height": Height(b.Name), "burn_amount": 1000,
		"reward_recipients": []any{}, "reward_slot_holders": []any{},
	}
	if !b.Old {
		members["consensus_hash"] = Consensus(b.Name)
	}
	if b.Parent != "" {
		members["parent_burn_block_hash"] = BurnHash(b.Parent)
	}
	put(members, b.Members)
	return post(nodeevent.PathBurnBlock, members)
}

// put replaces members by others, and deletes those that are nil.
func put(members, others map[string]any) {
	maps.Copy(members, others)
	maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
}

func post(path string, members map[string]any) replay.Post {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return replay.Post{Path: path, Body: text}
}
