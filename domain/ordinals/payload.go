package ordinals

import (
	"strconv"

	"strata/domain/hash"
	"strata/domain/lossy"
)

// Payload is a body that an indexer posts: the blocks to roll back, then the blocks to apply.
type Payload struct {
	// UUID is the id of the registration for which the indexer sent the payload; for a one-off scan, the target URL. It is only
	// informative, as is Streaming: empty if it can't be read.
	UUID string
	// Streaming is true for blocks at the tip, and false for a replay of old blocks.
	Streaming bool
	// Rollback has the newest block first. Roll it back before the blocks of Apply. Nil for none.
	Rollback []BlockID
	// Apply has the oldest block first. Nil for none.
	Apply []Block
	// Faults are the parts that can't be read, in the order of the body. Nil for none.
	Faults []Fault
}

// BlockID names a block to roll back. The feed repeats the content of the block, which does not matter.
type BlockID struct {
	Pointer string // JSON pointer, such as /rollback/0
	Height  uint64
	Hash    hash.Hash32
}

// Decode decodes a body. What can't be read in a body of JSON is among its Faults; any other body is an error, a
// *nodeevent.FieldError. The result does not refer to body. Decode is safe for concurrent use.
func Decode(body []byte) (*Payload, error) {
	c, _ := cursors.Get().(*cursor)
	defer cursors.Put(c)
	c.Start(body, lossy.String)
	c.faults, c.moreFaults = nil, 0
	p := &Payload{}
	c.payload(p)
	p.Faults = c.allFaults()
	c.faults = nil
	if err := c.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

func (c *cursor) payload(p *Payload) {
	var rollback, apply bool
	present := c.Members(
		optional("chainhook", func() { _, _ = c.Part(func() { c.chainhook(p) }) }),
		optional("rollback", func() {
			rollback = true
			c.part(func() { p.Rollback = c.rollback() }, nil)
		}),
		optional("apply", func() {
			apply = true
			p.Apply = elements(c, "/apply/", c.block)
		}),
	)
	c.NeedValue(present, "an object")
	c.needPart(rollback, "rollback", "an array")
	c.needPart(apply, "apply", "an array")
}

// rollback reads the blocks to roll back.
func (c *cursor) rollback() (list []BlockID) {
	n := 0
	present := c.Array(func() {
		id := BlockID{Pointer: "/rollback/" + strconv.Itoa(n)}
		n++
		if c.part(func() { c.blockID(&id) }, nil) {
			list = append(list, id)
		}
	})
	c.NeedValue(present, "an array")
	return list
}

func (c *cursor) blockID(id *BlockID) {
	present := c.Members(required("block_identifier", func() bool { return c.blockIdentifier(&id.Height, &id.Hash) }, "a height and a hash"))
	c.NeedValue(present, "a block")
}

// chainhook reads the registration for which the indexer sent the payload. It skips the predicate, which only repeats
// the registration.
func (c *cursor) chainhook(p *Payload) {
	c.Members(
		optional("uuid", func() { c.String(&p.UUID) }),
		optional("is_streaming_blocks", &p.Streaming),
	)
}
