package ordinals

import "strata/domain/lossy"

// Payload is a body that an indexer posts: the blocks to roll back, then the blocks to apply.
type Payload struct {
	// UUID is the id of the registration for which the indexer sent the payload; for a one-off scan, the target URL.
	UUID string
	// Streaming is true for blocks at the tip, and false for a replay of old blocks.
	Streaming bool
	// Rollback has the newest block first. Roll it back before the blocks of Apply. Nil for none.
	Rollback []Block
	// Apply has the oldest block first. Nil for none.
	Apply []Block
}

// Decode decodes a body. Errors are *nodeevent.FieldError. The result does not refer to body. Decode is safe for
// concurrent use.
func Decode(body []byte) (*Payload, error) {
	c, _ := cursors.Get().(*cursor)
	defer cursors.Put(c)
	c.Start(body, lossy.String)
	p := &Payload{}
	c.payload(p)
	if err := c.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

func (c *cursor) payload(p *Payload) {
	var hook, rollback, apply bool
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "chainhook":
			hook = c.chainhook(p)
		case "rollback":
			p.Rollback, rollback = elements(c, "/rollback/", c.block)
		case "apply":
			p.Apply, apply = elements(c, "/apply/", c.block)
		default:
			c.Skip()
		}
	})
	c.NeedValue(present, "an object")
	c.Need(hook, "chainhook", "an object")
	c.Need(rollback, "rollback", "an array")
	c.Need(apply, "apply", "an array")
}

// chainhook reads the registration for which the indexer sent the payload. It skips the predicate, which only repeats
// the registration.
func (c *cursor) chainhook(p *Payload) (present bool) {
	var uuid, streaming bool
	if !c.Object(func(name []byte) {
		switch string(name) {
		case "uuid":
			uuid = c.String(&p.UUID)
		case "is_streaming_blocks":
			streaming = c.Bool(&p.Streaming)
		default:
			c.Skip()
		}
	}) {
		return false
	}
	c.Need(uuid, "uuid", "a string")
	c.Need(streaming, "is_streaming_blocks", "true or false")
	return true
}
