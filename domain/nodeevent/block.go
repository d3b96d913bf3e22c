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
	present := c.Members(
		required("index_block_hash", &b.IndexBlockHash, "32 bytes in hex"),
		required("block_hash", &b.BlockHash, "32 bytes in hex"),
		required("parent_index_block_hash", &b.ParentIndexBlockHash, "32 bytes in hex"),
		optional("parent_block_hash", &b.ParentBlockHash),
		required("block_height", &b.Height, "a whole number"),
		optional("block_time", &b.Time),
		required("burn_block_hash", &b.BurnBlockHash, "32 bytes in hex"),
		required("burn_block_height", &b.BurnBlockHeight, "a whole number"),
		optional("burn_block_time", &b.BurnBlockTime),
		optional("consensus_hash", &b.ConsensusHash),
		optional("miner_txid", &b.MinerTxID),
		optional("parent_burn_block_hash", &b.ParentBurnBlockHash),
		optional("parent_burn_block_height", &b.ParentBurnBlockHeight),
		optional("parent_burn_block_timestamp", &b.ParentBurnBlockTime),
		optional("parent_microblock", &b.ParentMicroblock),
		optional("parent_microblock_sequence", &b.ParentMicroblockSequence),
		optional("anchored_cost", func() { b.AnchoredCost = jsoncursor.Optional(c.cost) }),
		optional("confirmed_microblocks_cost", func() { b.ConfirmedMicroblocksCost = jsoncursor.Optional(c.cost) }),
		optional("pox_v1_unlock_height", &b.PoxV1UnlockHeight),
		optional("pox_v2_unlock_height", &b.PoxV2UnlockHeight),
		optional("pox_v3_unlock_height", &b.PoxV3UnlockHeight),
		optional("pox_v4_unlock_height", &b.PoxV4UnlockHeight),
		optional("reward_set", func() { b.RewardSet = c.rewardSet() }),
		optional("cycle_number", &b.CycleNumber),
		optional("signer_bitvec", &b.SignerBitvec),
		optional("signer_signature_hash", &b.SignerSignatureHash),
		optional("miner_signature", &b.MinerSignature),
		optional("signer_signature", func() { b.SignerSignatures = c.hexStrings() }),
		optional("tenure_height", &b.TenureHeight),
		optional("matured_miner_rewards", func() { b.MaturedRewards = c.minerRewards() }),
		optional("transactions", func() { b.Transactions = c.transactions() }),
		optional("events", func() { b.Events = c.events() }),
	)
	c.NeedValue(present, "an object")
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
