package nodeevent

import (
	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// BurnBlock is the body of /new_burn_block. A node may announce the same Bitcoin block again with another consensus
// hash.
type BurnBlock struct {
	Hash              hash.Hash32     // required
	Height            uint64          // required
	ConsensusHash     *hash.Hash20    // since release 3.1.0.0.4
	ParentHash        *hash.Hash32    // since release 3.1.0.0.9
	BurnAmount        uint64          // sats; zero when missing
	RewardRecipients  []BurnPayout    // the payouts, one for each address, in no particular order
	RewardSlotHolders []string        // the addresses that are entitled to a payout; nil before release 2.0.11.0.0
	PoxTransactions   []PoxCommitment // since release 3.3.0.0.5
}

// BurnPayout is what a Bitcoin address received from block commits.
type BurnPayout struct {
	Recipient string
	Amount    uint64  // sats
	UTXOIndex *uint32 // in a PoxCommitment only
}

// PoxCommitment is a block commit with its payouts.
type PoxCommitment struct {
	TxID    hash.Hash32
	Payouts []BurnPayout
}

func (c *cursor) burnBlock() *BurnBlock {
	b := &BurnBlock{}
	present := c.Members(
		required("burn_block_hash", &b.Hash, "32 bytes in hex"),
		required("burn_block_height", &b.Height, "a whole number"),
		optional("consensus_hash", &b.ConsensusHash),
		optional("parent_burn_block_hash", &b.ParentHash),
		optional("burn_amount", &b.BurnAmount),
		optional("reward_recipients", func() { b.RewardRecipients = c.burnPayouts() }),
		optional("reward_slot_holders", func() { b.RewardSlotHolders = c.names() }),
		optional("pox_transactions", func() { b.PoxTransactions = c.poxCommitments() }),
	)
	c.NeedValue(present, "an object")
	return b
}

// names reads an array of strings; nil for null.
func (c *cursor) names() []string {
	return jsoncursor.List(&c.Cursor, func(name *string) { c.NeedValue(c.Name(name), "a string") })
}

func (c *cursor) burnPayouts() []BurnPayout {
	return jsoncursor.List(&c.Cursor, func(p *BurnPayout) {
		present := c.Members(
			required("recipient", &p.Recipient, "a string"),
			required("amt", &p.Amount, "a whole number"),
			optional("utxo_idx", &p.UTXOIndex),
		)
		c.Need(present, "recipient", "a string")
	})
}

func (c *cursor) poxCommitments() []PoxCommitment {
	return jsoncursor.List(&c.Cursor, func(p *PoxCommitment) {
		present := c.Members(
			required("txid", &p.TxID, "32 bytes in hex"),
			optional("reward_recipients", func() { p.Payouts = c.burnPayouts() }),
		)
		c.Need(present, "txid", "32 bytes in hex")
	})
}
