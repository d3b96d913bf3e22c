package nodejson

import (
	"fmt"
	"math"

	"strata/domain/hash"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/node"
)

// neverUnlocked is the forced unlock height of a PoX contract that has none.
const neverUnlocked = math.MaxUint32

// Block is a Stacks block with its contents.
type Block struct {
	Height   uint64
	Hash     hash.Hash32
	Index    hash.Hash32
	Burn     BurnBlock
	Tenure   uint64 // number of tenures up to this block; before Nakamoto the height
	Nakamoto bool
	Time     uint64

	// The parent; not for genesis.
	ParentHash  hash.Hash32
	ParentIndex hash.Hash32
	ParentBurn  BurnBlock

	Receipts       []*Receipt  // in the order of transactions[]
	LastMicroblock *Microblock // that the block confirms; nil for none
	Rewards        []Reward    // that mature
	RewardSet      *RewardSet  // nil for none

	// From Nakamoto on.
	SignerBits       []byte // an encoded bit vector
	MinerSignature   key.Signature
	SignerSignatures []key.Signature
}

// Block encodes the body of /new_block, with the events in random order.
func (e *Encoder) Block(b *Block) []byte {
	g := e.Generation
	parentHash, parentIndex, parentBurn := b.ParentHash, b.ParentIndex, b.ParentBurn
	burnTime := b.Burn.Time
	switch b.Height {
	case 0:
		for i := range parentHash {
			parentHash[i], parentIndex[i] = 0xff, 0xff
		}
		parentBurn = b.Burn
		burnTime = 0
	case 1:
		parentBurn = BurnBlock{}
	}
	anchored, streamed := Cost{}, Cost{}
	for _, r := range b.Receipts {
		if r.Microblock != nil {
			streamed = streamed.add(r.Cost)
		} else {
			anchored = anchored.add(r.Cost)
		}
	}

	o := newObject(e.buffer[:0])
	o = object(anchored.append(o.key("anchored_cost"))).hash("block_hash", b.Hash).number("block_height", b.Height)
	switch {
	case b.Nakamoto && g >= node.V30:
		o = o.number("block_time", b.Time)
	case g >= node.V30:
		o = o.object("block_time", "")
	}
	o = o.hash("burn_block_hash", b.Burn.Hash).number("burn_block_height", b.Burn.Height).number("burn_block_time", burnTime)
	o = streamed.append(o.key("confirmed_microblocks_cost"))
	if g >= node.V3109 {
		o = o.hex("consensus_hash", b.Burn.Consensus[:])
	}
	switch {
	case g >= node.V25 && b.RewardSet != nil:
		o = o.number("cycle_number", b.RewardSet.Cycle)
	case g >= node.V25:
		o = o.object("cycle_number", "")
	}
	o = object(e.events(o.key("events"), b.Receipts)).hash("index_block_hash", b.Index)
	o = o.list("matured_miner_rewards", len(b.Rewards), func(dst []byte, i int) []byte { return b.Rewards[i].append(dst, g) })
	if b.Nakamoto {
		o = o.hex("miner_signature", b.MinerSignature[:])
	}
	micro := Microblock{}
	if m := b.LastMicroblock; m != nil {
		micro = *m
	}
	o = o.hash("miner_txid", b.Burn.Winner).hash("parent_block_hash", parentHash).hash("parent_burn_block_hash", parentBurn.Hash).
		number("parent_burn_block_height", parentBurn.Height).number("parent_burn_block_timestamp", parentBurn.Time).
		hash("parent_index_block_hash", parentIndex).hash("parent_microblock", micro.Hash).
		number("parent_microblock_sequence", uint64(micro.Header.Sequence))
	o = e.unlockHeights(o)
	if g >= node.V25 {
		o = b.RewardSet.append(o.key("reward_set"))
	}
	switch {
	case g >= node.V25 && b.Nakamoto:
		o = o.bareHex("signer_bitvec", b.SignerBits)
	case g >= node.V25:
		o = o.object("signer_bitvec", "")
	}
	if b.Nakamoto {
		o = o.list("signer_signature", len(b.SignerSignatures), func(dst []byte, i int) []byte {
			return appendBareHex(dst, b.SignerSignatures[i][:])
		}).hash("signer_signature_hash", b.Hash)
	}
	if g >= node.V30 {
		o = o.number("tenure_height", b.Tenure)
	}
	return e.finish(o.list("transactions", len(b.Receipts), func(dst []byte, i int) []byte { return b.Receipts[i].append(dst, g, i) }).end())
}

// unlockHeights writes the burn heights at which the locks of old PoX contracts end.
func (e *Encoder) unlockHeights(o object) object {
	if e.Schedule != nil {
		for i, height := range e.Schedule.Unlocks() {
			o = o.number(fmt.Sprintf("pox_v%d_unlock_height", i+1), height)
		}
		return o
	}
	if e.Generation >= node.V21 {
		o = o.number("pox_v1_unlock_height", e.StartBurnHeight+1)
	}
	if e.Generation >= node.V25 {
		o = o.number("pox_v2_unlock_height", e.StartBurnHeight+1).number("pox_v3_unlock_height", e.StartBurnHeight+1)
	}
	if e.Generation >= node.V40 {
		o = o.number("pox_v4_unlock_height", neverUnlocked)
	}
	return o
}
