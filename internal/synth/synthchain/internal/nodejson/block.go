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

	dst := e.buffer[:0]
	dst = anchored.append(append(dst, `{"anchored_cost":`...))
	dst = appendHex(appendKey(dst, "block_hash"), b.Hash[:])
	dst = appendNumber(appendKey(dst, "block_height"), b.Height)
	if g >= node.V30 {
		dst = appendKey(dst, "block_time")
		if b.Nakamoto {
			dst = appendNumber(dst, b.Time)
		} else {
			dst = append(dst, "null"...)
		}
	}
	dst = appendHex(appendKey(dst, "burn_block_hash"), b.Burn.Hash[:])
	dst = appendNumber(appendKey(dst, "burn_block_height"), b.Burn.Height)
	dst = appendNumber(appendKey(dst, "burn_block_time"), burnTime)
	dst = streamed.append(appendKey(dst, "confirmed_microblocks_cost"))
	if g >= node.V3109 {
		dst = appendHex(appendKey(dst, "consensus_hash"), b.Burn.Consensus[:])
	}
	if g >= node.V25 {
		dst = appendKey(dst, "cycle_number")
		if b.RewardSet == nil {
			dst = append(dst, "null"...)
		} else {
			dst = appendNumber(dst, b.RewardSet.Cycle)
		}
	}
	dst = e.events(appendKey(dst, "events"), b.Receipts)
	dst = appendHex(appendKey(dst, "index_block_hash"), b.Index[:])
	dst = appendList(appendKey(dst, "matured_miner_rewards"), len(b.Rewards), func(dst []byte, i int) []byte {
		return b.Rewards[i].append(dst, g)
	})
	if b.Nakamoto {
		dst = appendHex(appendKey(dst, "miner_signature"), b.MinerSignature[:])
	}
	dst = appendHex(appendKey(dst, "miner_txid"), b.Burn.Winner[:])
	dst = appendHex(appendKey(dst, "parent_block_hash"), parentHash[:])
	dst = appendHex(appendKey(dst, "parent_burn_block_hash"), parentBurn.Hash[:])
	dst = appendNumber(appendKey(dst, "parent_burn_block_height"), parentBurn.Height)
	dst = appendNumber(appendKey(dst, "parent_burn_block_timestamp"), parentBurn.Time)
	dst = appendHex(appendKey(dst, "parent_index_block_hash"), parentIndex[:])
	micro := Microblock{}
	if m := b.LastMicroblock; m != nil {
		micro = *m
	}
	dst = appendHex(appendKey(dst, "parent_microblock"), micro.Hash[:])
	dst = appendNumber(appendKey(dst, "parent_microblock_sequence"), uint64(micro.Header.Sequence))
	dst = e.unlockHeights(dst)
	if g >= node.V25 {
		dst = b.RewardSet.append(appendKey(dst, "reward_set"))
		dst = appendKey(dst, "signer_bitvec")
		if b.Nakamoto {
			dst = appendBareHex(dst, b.SignerBits)
		} else {
			dst = append(dst, "null"...)
		}
	}
	if b.Nakamoto {
		dst = appendList(appendKey(dst, "signer_signature"), len(b.SignerSignatures), func(dst []byte, i int) []byte {
			return appendBareHex(dst, b.SignerSignatures[i][:])
		})
		dst = appendHex(appendKey(dst, "signer_signature_hash"), b.Hash[:])
	}
	if g >= node.V30 {
		dst = appendNumber(appendKey(dst, "tenure_height"), b.Tenure)
	}
	dst = appendList(appendKey(dst, "transactions"), len(b.Receipts), func(dst []byte, i int) []byte {
		return b.Receipts[i].append(dst, g, i)
	})
	return e.finish(append(dst, '}'))
}

// unlockHeights writes the burn heights at which the locks of old PoX contracts end.
func (e *Encoder) unlockHeights(dst []byte) []byte {
	if e.Schedule != nil {
		for i, height := range e.Schedule.Unlocks() {
			dst = appendNumber(appendKey(dst, fmt.Sprintf("pox_v%d_unlock_height", i+1)), height)
		}
		return dst
	}
	if e.Generation >= node.V21 {
		dst = appendNumber(appendKey(dst, "pox_v1_unlock_height"), e.StartBurnHeight+1)
	}
	if e.Generation >= node.V25 {
		dst = appendNumber(appendKey(dst, "pox_v2_unlock_height"), e.StartBurnHeight+1)
		dst = appendNumber(appendKey(dst, "pox_v3_unlock_height"), e.StartBurnHeight+1)
	}
	if e.Generation >= node.V40 {
		dst = appendNumber(appendKey(dst, "pox_v4_unlock_height"), neverUnlocked)
	}
	return dst
}
