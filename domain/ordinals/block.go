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
		var time, transactions bool
		present := c.Members(
			required("block_identifier", func() bool { return c.blockIdentifier(&b.Height, &b.Hash) }, "a height and a hash"),
			optional("parent_block_identifier", func() { _, _ = c.Part(func() { c.blockIdentifier(&b.ParentHeight, &b.ParentHash) }) }),
			optional("timestamp", func() {
				time = true
				c.part(func() { c.NeedValue(c.Read(&b.Time), "a whole number of seconds") }, nil)
			}),
			optional("transactions", func() {
				transactions = true
				b.Transactions = elements(c, b.Pointer+"/transactions/", c.transaction)
			}),
			optional("metadata", func() { c.part(func() { c.Members(optional("network", (*string)(&b.Network))) }, nil) }),
		)
		c.NeedValue(present, "a block")
		c.needPart(time, "timestamp", "a whole number of seconds")
		c.needPart(transactions, "transactions", "an array")
	}
	if !c.part(read, nil) {
		*b = Block{Pointer: pointer, Lost: true}
	}
}

func (c *cursor) blockIdentifier(height *uint64, h *hash.Hash32) (present bool) {
	return c.Members(required("index", height, "a height"), required("hash", h, "32 bytes in hex"))
}
