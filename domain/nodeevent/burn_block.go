package nodeevent

import "strata/domain/hash"

// BurnBlock is the body of /new_burn_block. The same Bitcoin block may be announced again with another consensus hash.
type BurnBlock struct {
	Hash              hash.Hash32     // required
	Height            uint64          // required
	ConsensusHash     *hash.Hash20    // since release 3.1.0.0.4
	ParentHash        *hash.Hash32    // since release 3.1.0.0.9
	BurnAmount        uint64          // satoshi; zero when missing
	RewardRecipients  []BurnPayout    // payouts merged by address, in no particular order
	RewardSlotHolders []string        // addresses entitled to be paid; nil before release 2.0.11.0.0
	PoxTransactions   []PoxCommitment // since release 3.3.0.0.5
}

// BurnPayout is what a Bitcoin address received.
type BurnPayout struct {
	Recipient string
	Amount    uint64  // satoshi
	UTXOIndex *uint32 // in a PoxCommitment only
}

// PoxCommitment is one block commit with its payouts.
type PoxCommitment struct {
	TxID    hash.Hash32
	Payouts []BurnPayout
}

func (c *cursor) burnBlock() *BurnBlock {
	b := &BurnBlock{}
	var id, height bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "burn_block_hash":
			id = c.hash32(&b.Hash)
		case "burn_block_height":
			height = c.uint64(&b.Height)
		case "consensus_hash":
			b.ConsensusHash = c.hash20Pointer()
		case "parent_burn_block_hash":
			b.ParentHash = c.hash32Pointer()
		case "burn_amount":
			c.uint64(&b.BurnAmount)
		case "reward_recipients":
			b.RewardRecipients = c.burnPayouts()
		case "reward_slot_holders":
			b.RewardSlotHolders = c.nameList()
		case "pox_transactions":
			b.PoxTransactions = c.poxCommitments()
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(id, "burn_block_hash", "32 bytes in hex")
	c.need(height, "burn_block_height", "a whole number")
	return b
}

func (c *cursor) burnPayouts() []BurnPayout {
	list := []BurnPayout{}
	if !c.array(func() {
		var p BurnPayout
		var recipient, amount bool
		c.object(func(name []byte) {
			switch string(name) {
			case "recipient":
				recipient = c.name(&p.Recipient)
			case "amt":
				amount = c.uint64(&p.Amount)
			case "utxo_idx":
				p.UTXOIndex = c.uint32Pointer()
			default:
				c.skip()
			}
		})
		c.need(recipient, "recipient", "a string")
		c.need(amount, "amt", "a whole number")
		list = append(list, p)
	}) {
		return nil
	}
	return list
}

func (c *cursor) poxCommitments() []PoxCommitment {
	list := []PoxCommitment{}
	if !c.array(func() {
		var p PoxCommitment
		id := false
		c.object(func(name []byte) {
			switch string(name) {
			case "txid":
				id = c.hash32(&p.TxID)
			case "reward_recipients":
				p.Payouts = c.burnPayouts()
			default:
				c.skip()
			}
		})
		c.need(id, "txid", "32 bytes in hex")
		list = append(list, p)
	}) {
		return nil
	}
	return list
}
