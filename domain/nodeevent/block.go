package nodeevent

import (
	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// Block is the body of /new_block. Nothing in it says whether the block is canonical.
type Block struct {
	IndexBlockHash       hash.Hash32 // required; the block's identity
	BlockHash            hash.Hash32 // required; header hash
	ParentIndexBlockHash hash.Hash32 // required; all ff for genesis
	ParentBlockHash      hash.Hash32 // zero when missing
	Height               uint64      // required
	// Time is in the block header, in Unix seconds. It is nil for 2.x blocks, whose time is BurnBlockTime.
	Time *uint64

	// The burn block whose sortition elected the block (2.x) or its tenure (3.x).
	BurnBlockHash   hash.Hash32  // required
	BurnBlockHeight uint64       // required
	BurnBlockTime   uint64       // Unix seconds; zero when missing, and sometimes for genesis
	ConsensusHash   *hash.Hash20 // of that sortition; since release 3.1.0.0.4
	MinerTxID       hash.Hash32  // Bitcoin transaction of the block commit; zero for genesis or when missing

	// The burn block of the parent block; since release 2.0.11.2.0.
	ParentBurnBlockHash   *hash.Hash32
	ParentBurnBlockHeight *uint64
	ParentBurnBlockTime   *uint64

	ParentMicroblock         hash.Hash32 // the last confirmed microblock; zero for none
	ParentMicroblockSequence *uint16     // since release 2.0.11.2.0

	AnchoredCost             *Cost // since release 2.05
	ConfirmedMicroblocksCost *Cost // since release 2.05

	// The burn heights of the forced unlocks of pox-1 to pox-4; 2^32-1 if not scheduled. Nil in bodies of earlier
	// releases.
	PoxV1UnlockHeight *uint64
	PoxV2UnlockHeight *uint64
	PoxV3UnlockHeight *uint64
	PoxV4UnlockHeight *uint64

	// RewardSet and CycleNumber are set only in the block of a cycle that computes the reward set of the next cycle.
	RewardSet   *RewardSet
	CycleNumber *uint64

	// Nakamoto blocks only.
	SignerBitvec        []byte // see SignerBits
	SignerSignatureHash *hash.Hash32
	MinerSignature      []byte
	SignerSignatures    [][]byte // not part of the block's identity; may differ between nodes
	TenureHeight        *uint64  // since release 3.0; also set for 2.x blocks

	MaturedRewards []MinerReward
	Receipts
}

func (c *cursor) block() *Block {
	b := &Block{}
	var index, block, parent, height, burnHash, burnHeight bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "index_block_hash":
			index = c.Hash32(&b.IndexBlockHash)
		case "block_hash":
			block = c.Hash32(&b.BlockHash)
		case "parent_index_block_hash":
			parent = c.Hash32(&b.ParentIndexBlockHash)
		case "parent_block_hash":
			c.Hash32(&b.ParentBlockHash)
		case "block_height":
			height = c.uint64(&b.Height)
		case "block_time":
			b.Time = jsoncursor.Optional(c.uint64)
		case "burn_block_hash":
			burnHash = c.Hash32(&b.BurnBlockHash)
		case "burn_block_height":
			burnHeight = c.uint64(&b.BurnBlockHeight)
		case "burn_block_time":
			c.uint64(&b.BurnBlockTime)
		case "consensus_hash":
			b.ConsensusHash = jsoncursor.Optional(c.Hash20)
		case "miner_txid":
			c.Hash32(&b.MinerTxID)
		case "parent_burn_block_hash":
			b.ParentBurnBlockHash = jsoncursor.Optional(c.Hash32)
		case "parent_burn_block_height":
			b.ParentBurnBlockHeight = jsoncursor.Optional(c.uint64)
		case "parent_burn_block_timestamp":
			b.ParentBurnBlockTime = jsoncursor.Optional(c.uint64)
		case "parent_microblock":
			c.Hash32(&b.ParentMicroblock)
		case "parent_microblock_sequence":
			b.ParentMicroblockSequence = jsoncursor.Optional(c.uint16)
		case "anchored_cost":
			b.AnchoredCost = jsoncursor.Optional(c.cost)
		case "confirmed_microblocks_cost":
			b.ConfirmedMicroblocksCost = jsoncursor.Optional(c.cost)
		case "pox_v1_unlock_height":
			b.PoxV1UnlockHeight = jsoncursor.Optional(c.uint64)
		case "pox_v2_unlock_height":
			b.PoxV2UnlockHeight = jsoncursor.Optional(c.uint64)
		case "pox_v3_unlock_height":
			b.PoxV3UnlockHeight = jsoncursor.Optional(c.uint64)
		case "pox_v4_unlock_height":
			b.PoxV4UnlockHeight = jsoncursor.Optional(c.uint64)
		case "reward_set":
			b.RewardSet = c.rewardSet()
		case "cycle_number":
			b.CycleNumber = jsoncursor.Optional(c.uint64)
		case "signer_bitvec":
			b.SignerBitvec = c.Hex()
		case "signer_signature_hash":
			b.SignerSignatureHash = jsoncursor.Optional(c.Hash32)
		case "miner_signature":
			b.MinerSignature = c.Hex()
		case "signer_signature":
			b.SignerSignatures = c.hexStrings()
		case "tenure_height":
			b.TenureHeight = jsoncursor.Optional(c.uint64)
		case "matured_miner_rewards":
			b.MaturedRewards = c.minerRewards()
		case "transactions":
			b.Transactions = c.transactions()
		case "events":
			b.Events = c.events()
		default:
			c.unknown(name)
		}
	})
	c.NeedValue(present, "an object")
	c.Need(index, "index_block_hash", "32 bytes in hex")
	c.Need(block, "block_hash", "32 bytes in hex")
	c.Need(parent, "parent_index_block_hash", "32 bytes in hex")
	c.Need(height, "block_height", "a whole number")
	c.Need(burnHash, "burn_block_hash", "32 bytes in hex")
	c.Need(burnHeight, "burn_block_height", "a whole number")
	c.linkEvents(&b.Receipts)
	return b
}

// hexStrings reads an array of hex strings; nil for null.
func (c *cursor) hexStrings() [][]byte {
	return jsoncursor.List(&c.Cursor, func(b *[]byte) {
		*b = c.Hex()
		c.NeedValue(*b != nil, "a hex string")
	})
}
