package ordinals

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"strata/domain/hash"
)

// Block is a Bitcoin block with the transactions that concern ordinals. Indexers send no block without such
// transactions, so heights have gaps.
type Block struct {
	Pointer string `json:"-"` // JSON pointer, such as /apply/0
	// Lost is set for a block whose height or hash can't be read. Nobody knows where it belongs, so it has nothing else.
	Lost         bool `json:"-"`
	Height       uint64
	Hash         hash.Hash32
	ParentHeight uint64 // only informative, as is ParentHash: zero if it can't be read
	ParentHash   hash.Hash32
	Time         uint32  // Unix seconds; 0 if it can't be read
	Network      Network // empty when missing
	// Transactions that concern ordinals, in the order of the block. Nil for none.
	Transactions []Transaction
}

// Digest returns a digest of what the block says, whatever its place and the form of its JSON. Projection ordinals stores
// digests: after a change of this function or of the fields of a block, its rules need a new number.
func (b *Block) Digest() (digest hash.Hash32, err error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(b); err != nil {
		return digest, fmt.Errorf("digest of block %d of the feed: %w", b.Height, err)
	}
	h.Sum(digest[:0])
	return digest, nil
}

func (c *cursor) block(b *Block, pointer string) {
	read := func() {
		b.Pointer = pointer
		var id, time, transactions bool
		present := c.Object(func(name []byte) {
			switch string(name) {
			case "block_identifier":
				id = c.blockIdentifier(&b.Height, &b.Hash)
			case "parent_block_identifier":
				_, _ = c.Part(func() { c.blockIdentifier(&b.ParentHeight, &b.ParentHash) })
			case "timestamp":
				time = true
				c.part(func() { c.NeedValue(c.uint32(&b.Time), "a whole number of seconds") }, nil)
			case "transactions":
				transactions = true
				c.part(func() {
					var present bool
					b.Transactions, present = elements(c, b.Pointer+"/transactions/", c.transaction)
					c.NeedValue(present, "an array")
				}, nil)
			case "metadata":
				c.part(func() { c.blockMetadata(b) }, nil)
			default:
				c.Skip()
			}
		})
		c.NeedValue(present, "a block")
		c.Need(id, "block_identifier", "a height and a hash")
		c.needPart(time, "timestamp", "a whole number of seconds")
		c.needPart(transactions, "transactions", "an array")
	}
	if !c.part(read, nil) {
		*b = Block{Pointer: pointer, Lost: true}
	}
}

func (c *cursor) blockMetadata(b *Block) {
	c.Object(func(name []byte) {
		if string(name) == "network" {
			c.Name((*string)(&b.Network))
		} else {
			c.Skip()
		}
	})
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
