package ordinals

import (
	"strconv"

	"strata/domain/hash"
)

// Block is a Bitcoin block as far as it concerns ordinals. Blocks without such transactions are not sent at all, so
// heights have holes.
type Block struct {
	Pointer      string // JSON pointer, such as /apply/0
	Height       uint64
	Hash         hash.Hash32
	ParentHeight uint64
	ParentHash   hash.Hash32
	Time         uint32  // seconds since 1970
	Network      Network // empty when missing
	// Transactions that have something to do with ordinals, in the order of the block. Nil for none.
	Transactions []Transaction
}

// blocks reads a list whose elements have pointers that begin with a text.
func (c *cursor) blocks(pointer string) (list []Block, present bool) {
	present = c.array(func() {
		list = append(list, Block{Pointer: pointer + strconv.Itoa(len(list))})
		c.block(&list[len(list)-1])
	})
	return list, present
}

func (c *cursor) block(b *Block) {
	var id, parent, time, transactions bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "block_identifier":
			id = c.blockIdentifier(&b.Height, &b.Hash)
		case "parent_block_identifier":
			parent = c.blockIdentifier(&b.ParentHeight, &b.ParentHash)
		case "timestamp":
			time = c.uint32(&b.Time)
		case "transactions":
			b.Transactions, transactions = c.transactions(b.Pointer + "/transactions/")
		case "metadata":
			c.object(func(name []byte) {
				if string(name) == "network" {
					c.name((*string)(&b.Network))
				} else {
					c.skip()
				}
			})
		default:
			c.skip()
		}
	})
	c.needValue(present, "a block")
	c.need(id, "block_identifier", "a height and a hash")
	c.need(parent, "parent_block_identifier", "a height and a hash")
	c.need(time, "timestamp", "a whole number of seconds")
	c.need(transactions, "transactions", "an array")
}

func (c *cursor) blockIdentifier(height *uint64, h *hash.Hash32) (present bool) {
	var hasIndex, hasHash bool
	if !c.object(func(name []byte) {
		switch string(name) {
		case "index":
			hasIndex = c.uint63(height)
		case "hash":
			hasHash = c.hash32(h)
		default:
			c.skip()
		}
	}) {
		return false
	}
	c.need(hasIndex, "index", "a height")
	c.need(hasHash, "hash", "32 bytes in hex")
	return true
}
