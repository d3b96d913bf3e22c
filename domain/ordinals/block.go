package ordinals

import "strata/domain/hash"

// Block is a Bitcoin block with the transactions that concern ordinals. Indexers send no block without such
// transactions, so heights have gaps.
type Block struct {
	Pointer      string // JSON pointer, such as /apply/0
	Height       uint64
	Hash         hash.Hash32
	ParentHeight uint64
	ParentHash   hash.Hash32
	Time         uint32  // Unix seconds
	Network      Network // empty when missing
	// Transactions that concern ordinals, in the order of the block. Nil for none.
	Transactions []Transaction
}

func (c *cursor) block(b *Block, pointer string) {
	b.Pointer = pointer
	var id, parent, time, transactions bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "block_identifier":
			id = c.blockIdentifier(&b.Height, &b.Hash)
		case "parent_block_identifier":
			parent = c.blockIdentifier(&b.ParentHeight, &b.ParentHash)
		case "timestamp":
			time = c.uint32(&b.Time)
		case "transactions":
			b.Transactions, transactions = elements(c, b.Pointer+"/transactions/", c.transaction)
		case "metadata":
			c.Object(func(name []byte) {
				if string(name) == "network" {
					c.Name((*string)(&b.Network))
				} else {
					c.Skip()
				}
			})
		default:
			c.Skip()
		}
	})
	c.NeedValue(present, "a block")
	c.Need(id, "block_identifier", "a height and a hash")
	c.Need(parent, "parent_block_identifier", "a height and a hash")
	c.Need(time, "timestamp", "a whole number of seconds")
	c.Need(transactions, "transactions", "an array")
}

func (c *cursor) blockIdentifier(height *uint64, h *hash.Hash32) (present bool) {
	var hasIndex, hasHash bool
	if !c.Object(func(name []byte) {
		switch string(name) {
		case "index":
			hasIndex = c.uint63(height)
		case "hash":
			hasHash = c.Hash32(h)
		default:
			c.Skip()
		}
	}) {
		return false
	}
	c.Need(hasIndex, "index", "a height")
	c.Need(hasHash, "hash", "32 bytes in hex")
	return true
}
