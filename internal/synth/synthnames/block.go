package synthnames

import (
	"fmt"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/value"
)

// kind begins the texts whose hashes blocks have.
const kind = "bns "

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
func ID(name string) hash.Hash32 { return synthblock.ID(kind, name) }

// TxID returns the id of a block's transaction.
func TxID(name string, index int) hash.Hash32 { return synthblock.TxID(kind, name, index) }

// Post returns the block as a node posts it.
func (b Block) Post() simulate.Post {
	post := synthblock.Block{Kind: kind, Name: b.Name, Parent: b.Parent, Height: b.Height, BurnHeight: b.BurnHeight}
	if b.Old {
		post.BurnHeight++
		post.Members = map[string]any{"parent_burn_block_height": b.BurnHeight}
	} else {
		post.Members = map[string]any{"signer_bitvec": "000800000001ff", "signer_signature_hash": hash.Hash32{1}}
	}
	for i := range b.Calls {
		c := &b.Calls[i]
		post.Transactions = append(post.Transactions, synthblock.Transaction{Raw: c.raw(), Failed: c.Failed, Events: c.Events})
	}
	return post.Post()
}

// raw returns the bytes of a transaction, which nobody has signed.
func (c *Call) raw() []byte {
	source := c.Source
	if source == "" {
		source = "(ok true)"
	}
	var payload transaction.Payload = &transaction.SmartContract{ContractName: c.Deploys, Code: []byte(source)}
	if c.Deploys == "" {
		payload = &transaction.ContractCall{
			Contract: value.Must(clarity.ParsePrincipal(c.Contract)), Function: c.Function, Arguments: value.Must(transaction.NewArguments(c.Args...)),
		}
	}
	tx := value.Must(transaction.Draft{Network: transaction.Mainnet}.Transaction(payload))
	tx.Origin.Signer = value.Must(clarity.ParsePrincipal(c.Sender)).Address.Hash160
	return tx.Encode()
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

// blocksOf returns blocks with one call each, whose names begin with a prefix.
func blocksOf(prefix string, calls []dated) (blocks []Block) {
	for i, c := range calls {
		block := Block{Name: fmt.Sprint(prefix, i), Height: int64(i), BurnHeight: c.burnHeight, Calls: []Call{c.Call}}
		if i > 0 {
			block.Parent = blocks[i-1].Name
		}
		blocks = append(blocks, block)
	}
	return blocks
}
