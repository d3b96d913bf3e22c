package nodeevent

import (
	"strata/domain/hash"
)

// Block is the body of /new_block. Nothing in it says whether the block is canonical.
type Block struct {
	IndexBlockHash       hash.Hash32 // required; the block's identity
	BlockHash            hash.Hash32 // required; header hash
	ParentIndexBlockHash hash.Hash32 // required; all ff for genesis
	ParentBlockHash      hash.Hash32 // zero when missing
	Height               uint64      // required
	// Time is the header's, in unix seconds. Nil for 2.x blocks, whose time is BurnBlockTime.
	Time *uint64

	// Burn block whose sortition elected the block (2.x) or its tenure (3.x).
	BurnBlockHash   hash.Hash32  // required
	BurnBlockHeight uint64       // required
	BurnBlockTime   uint64       // unix seconds; zero when missing, and perhaps for genesis
	ConsensusHash   *hash.Hash20 // of that sortition; since release 3.1.0.0.4
	MinerTxID       hash.Hash32  // Bitcoin transaction of the block commit; zero for genesis or when missing

	// Burn block of the parent; since release 2.0.11.2.0.
	ParentBurnBlockHash   *hash.Hash32
	ParentBurnBlockHeight *uint64
	ParentBurnBlockTime   *uint64

	ParentMicroblock         hash.Hash32 // last confirmed microblock; zero for none
	ParentMicroblockSequence *uint16     // since release 2.0.11.2.0

	AnchoredCost             *Cost // since release 2.05
	ConfirmedMicroblocksCost *Cost // since release 2.05

	// Burn heights of the forced unlocks of pox-1 to pox-4; 2^32-1 if not scheduled. Nil before the release that knew
	// of them.
	PoxV1UnlockHeight *uint64
	PoxV2UnlockHeight *uint64
	PoxV3UnlockHeight *uint64
	PoxV4UnlockHeight *uint64

	// RewardSet and CycleNumber are set in the one block of a cycle that computes the next one's set.
	RewardSet   *RewardSet
	CycleNumber *uint64

	// Nakamoto blocks only.
	SignerBitvec        []byte // see SignerBits
	SignerSignatureHash *hash.Hash32
	MinerSignature      []byte
	SignerSignatures    [][]byte // not part of the block's identity; nodes may differ
	TenureHeight        *uint64  // since release 3.0; also set for 2.x blocks

	MaturedRewards []MinerReward
	Receipts
}

func (c *cursor) block() *Block {
	b := &Block{}
	var index, block, parent, height, burnHash, burnHeight bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "index_block_hash":
			index = c.hash32(&b.IndexBlockHash)
		case "block_hash":
			block = c.hash32(&b.BlockHash)
		case "parent_index_block_hash":
			parent = c.hash32(&b.ParentIndexBlockHash)
		case "parent_block_hash":
			c.hash32(&b.ParentBlockHash)
		case "block_height":
			height = c.uint64(&b.Height)
		case "block_time":
			b.Time = c.uint64Pointer()
		case "burn_block_hash":
			burnHash = c.hash32(&b.BurnBlockHash)
		case "burn_block_height":
			burnHeight = c.uint64(&b.BurnBlockHeight)
		case "burn_block_time":
			c.uint64(&b.BurnBlockTime)
		case "consensus_hash":
			b.ConsensusHash = c.hash20Pointer()
		case "miner_txid":
			c.hash32(&b.MinerTxID)
		case "parent_burn_block_hash":
			b.ParentBurnBlockHash = c.hash32Pointer()
		case "parent_burn_block_height":
			b.ParentBurnBlockHeight = c.uint64Pointer()
		case "parent_burn_block_timestamp":
			b.ParentBurnBlockTime = c.uint64Pointer()
		case "parent_microblock":
			c.hash32(&b.ParentMicroblock)
		case "parent_microblock_sequence":
			b.ParentMicroblockSequence = c.uint16Pointer()
		case "anchored_cost":
			b.AnchoredCost = c.costPointer()
		case "confirmed_microblocks_cost":
			b.ConfirmedMicroblocksCost = c.costPointer()
		case "pox_v1_unlock_height":
			b.PoxV1UnlockHeight = c.uint64Pointer()
		case "pox_v2_unlock_height":
			b.PoxV2UnlockHeight = c.uint64Pointer()
		case "pox_v3_unlock_height":
			b.PoxV3UnlockHeight = c.uint64Pointer()
		case "pox_v4_unlock_height":
			b.PoxV4UnlockHeight = c.uint64Pointer()
		case "reward_set":
			b.RewardSet = c.rewardSet()
		case "cycle_number":
			b.CycleNumber = c.uint64Pointer()
		case "signer_bitvec":
			b.SignerBitvec = c.bytes()
		case "signer_signature_hash":
			b.SignerSignatureHash = c.hash32Pointer()
		case "miner_signature":
			b.MinerSignature = c.bytes()
		case "signer_signature":
			b.SignerSignatures = c.byteStrings()
		case "tenure_height":
			b.TenureHeight = c.uint64Pointer()
		case "matured_miner_rewards":
			b.MaturedRewards = c.minerRewards()
		case "transactions":
			b.Transactions = c.transactions()
		case "events":
			b.Events = c.events()
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(index, "index_block_hash", "32 bytes in hex")
	c.need(block, "block_hash", "32 bytes in hex")
	c.need(parent, "parent_index_block_hash", "32 bytes in hex")
	c.need(height, "block_height", "a whole number")
	c.need(burnHash, "burn_block_hash", "32 bytes in hex")
	c.need(burnHeight, "burn_block_height", "a whole number")
	c.link(&b.Receipts)
	return b
}
