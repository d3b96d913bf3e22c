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
	var id, height bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "burn_block_hash":
			id = c.Hash32(&b.Hash)
		case "burn_block_height":
			height = c.uint64(&b.Height)
		case "consensus_hash":
			b.ConsensusHash = jsoncursor.Optional(c.Hash20)
		case "parent_burn_block_hash":
			b.ParentHash = jsoncursor.Optional(c.Hash32)
		case "burn_amount":
			c.uint64(&b.BurnAmount)
		case "reward_recipients":
			b.RewardRecipients = c.burnPayouts()
		case "reward_slot_holders":
			b.RewardSlotHolders = c.names()
		case "pox_transactions":
			b.PoxTransactions = c.poxCommitments()
		default:
			c.unknown(name)
		}
	})
	c.NeedValue(present, "an object")
	c.Need(id, "burn_block_hash", "32 bytes in hex")
	c.Need(height, "burn_block_height", "a whole number")
	return b
}

// names reads an array of strings; nil for null.
func (c *cursor) names() []string {
	return jsoncursor.List(&c.Cursor, func(name *string) { c.NeedValue(c.Name(name), "a string") })
}

func (c *cursor) burnPayouts() []BurnPayout {
	return jsoncursor.List(&c.Cursor, func(p *BurnPayout) {
		var recipient, amount bool
		c.Object(func(name []byte) {
			switch string(name) {
			case "recipient":
				recipient = c.Name(&p.Recipient)
			case "amt":
				amount = c.uint64(&p.Amount)
			case "utxo_idx":
				p.UTXOIndex = jsoncursor.Optional(c.uint32)
			default:
				c.unknown(name)
			}
		})
		c.Need(recipient, "recipient", "a string")
		c.Need(amount, "amt", "a whole number")
	})
}

func (c *cursor) poxCommitments() []PoxCommitment {
	return jsoncursor.List(&c.Cursor, func(p *PoxCommitment) {
		id := false
		c.Object(func(name []byte) {
			switch string(name) {
			case "txid":
				id = c.Hash32(&p.TxID)
			case "reward_recipients":
				p.Payouts = c.burnPayouts()
			default:
				c.unknown(name)
			}
		})
		c.Need(id, "txid", "32 bytes in hex")
	})
}
