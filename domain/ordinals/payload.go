package ordinals

// Payload is the body that an indexer posts: the blocks to take back, then those to apply.
type Payload struct {
	// UUID is the id of the registration that the payload was sent for; for one-off scans, the target URL.
	UUID string
	// Streaming is true for blocks at the tip and false for a replay of old ones.
	Streaming bool
	// Rollback comes first, newest block first. Nil for none.
	Rollback []Block
	// Apply has the oldest block first. Nil for none.
	Apply []Block
}

// Decode reads a body. Errors are *nodeevent.FieldError. The result does not refer to body. Decode is safe for
// concurrent use.
func Decode(body []byte) (*Payload, error) {
	c := newCursor(body)
	defer c.release()
	p := &Payload{}
	c.payload(p)
	c.end()
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

func (c *cursor) payload(p *Payload) {
	var hook, rollback, apply bool
	present := c.object(func(name []byte) {
		switch string(name) {
		case "chainhook":
			hook = c.chainhook(p)
		case "rollback":
			p.Rollback, rollback = c.blocks("/rollback/")
		case "apply":
			p.Apply, apply = c.blocks("/apply/")
		default:
			c.skip()
		}
	})
	c.needValue(present, "an object")
	c.need(hook, "chainhook", "an object")
	c.need(rollback, "rollback", "an array")
	c.need(apply, "apply", "an array")
}

// chainhook reads what the payload was sent for. The predicate is an echo of the registration and says nothing new.
func (c *cursor) chainhook(p *Payload) (present bool) {
	var uuid, streaming bool
	if !c.object(func(name []byte) {
		switch string(name) {
		case "uuid":
			uuid = c.string(&p.UUID)
		case "is_streaming_blocks":
			streaming = c.bool(&p.Streaming)
		default:
			c.skip()
		}
	}) {
		return false
	}
	c.need(uuid, "uuid", "a string")
	c.need(streaming, "is_streaming_blocks", "true or false")
	return true
}
