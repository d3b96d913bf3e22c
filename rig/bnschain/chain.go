// Package bnschain makes bodies of blocks with calls of BNS-V2: those of the vectors' trace, and those of a simulator
// of the contract that also knows the state to arrive at.
package bnschain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/internal/synth/synthnames"
	"strata/rig/replay"
)

// Names and Zonefiles are the contracts that are called.
const (
	Names     = synthnames.Names
	Zonefiles = synthnames.Zonefiles
	Asset     = synthnames.Asset
	// Commission is the contract that takes a share of sales.
	Commission = synthnames.Commission
)

// Preorder is the hash of the preorder in the story, in hex.
var Preorder = synthnames.Preorder

type (
	// Call is a transaction.
	Call = synthnames.Call
	// Event is an event of a transaction.
	Event = synthnames.Event
	// State is what the contracts know.
	State = synthnames.State
)

// Claim returns the events of the first registration of a name.
func Claim(id uint64, full, to string, height int64) []Event {
	return synthnames.Claim(id, full, to, height)
}

// Simulator makes random blocks of calls.
type Simulator struct {
	*synthnames.Simulator
	blocks int
}

// NewSimulator returns a simulator with a seed.
func NewSimulator(t testing.TB, seed uint64) *Simulator {
	t.Helper()
	return &Simulator{Simulator: synthnames.New(rand.New(rand.NewPCG(seed, 20)), synthnames.Accounts())}
}

// WithAgents adds contracts that act by themselves; see the method of the same name in package synthnames.
func (s *Simulator) WithAgents() *Simulator {
	s.Simulator.WithAgents()
	return s
}

// Genesis returns the first block, in which contract deployments airdrop names of the first registry, with the state
// after it.
func (s *Simulator) Genesis() (Block, *State) {
	calls, state := s.Airdrop(100)
	return Block{Name: "sim0", BurnHeight: state.BurnHeight, Old: true, Calls: calls}, state
}

// Next returns a block on top of another, with the state after it.
func (s *Simulator) Next(parent Block, before *State) (Block, *State) {
	s.blocks++
	calls, state := s.Block(before)
	height := parent.Height + 1
	return Block{Name: fmt.Sprintf("sim%d-%d", s.blocks, height), Parent: parent.Name, Height: height, BurnHeight: state.BurnHeight, Calls: calls}, state
}

// Story returns the history of package synthnames with one call in each block.
func Story(t testing.TB) (blocks []Block, accounts []string) {
	t.Helper()
	calls, accounts := synthnames.Story()
	return blocksOf("story", calls), accounts
}

// Expiries returns the history of names that expire of package synthnames, with one call in each block.
func Expiries(t testing.TB) (blocks []Block, accounts []string) {
	t.Helper()
	calls, accounts := synthnames.Expiries()
	return blocksOf("expiries", calls), accounts
}

// blocksOf returns blocks with one call each, whose names begin with a prefix.
func blocksOf(prefix string, calls []synthnames.Dated) (blocks []Block) {
	for i, c := range calls {
		n := int64(i)
		block := Block{Name: fmt.Sprint(prefix, n), Height: n, BurnHeight: c.BurnHeight, Calls: []Call{c.Call}}
		if n > 0 {
			block.Parent = blocks[n-1].Name
		}
		blocks = append(blocks, block)
	}
	return blocks
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
			"txid": id, "tx_index": i, "status": status, "raw_tx": fmt.Sprintf("0x%x", raw(t, &call)), "raw_result": "0x0703",
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

// raw returns the bytes of a transaction, which nobody has signed.
func raw(t testing.TB, c *Call) []byte {
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
