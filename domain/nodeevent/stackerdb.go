package nodeevent

import "strata/domain/hash"

// StackerDBChunks is the body of /stackerdb_chunks.
type StackerDBChunks struct {
	Contract StackerDBContract // required
	Slots    []StackerDBSlot
}

// StackerDBContract names the contract of a StackerDB. Nodes write it as a structure; then Version and Issuer are set.
// If it is a plain string, only Text is.
type StackerDBContract struct {
	Name    string // such as miners, or signers-0-1
	Version uint8  // c32 address version of the issuer
	Issuer  hash.Hash20
	Text    string
}

// StackerDBSlot is a chunk that was stored.
type StackerDBSlot struct {
	ID      uint32 // required
	Version uint32 // required
	Sig     []byte // 65 bytes; nil when missing
	Data    []byte // nil when missing
}

func (c *cursor) stackerDBChunks() *StackerDBChunks {
	s := &StackerDBChunks{}
	contract := false
	present := c.object(func(name []byte) {
		switch string(name) {
		case "contract_id":
			contract = c.stackerDBContract(&s.Contract)
		case "modified_slots":
			s.Slots = nil
			c.array(func() {
				s.Slots = append(s.Slots, StackerDBSlot{})
				c.stackerDBSlot(&s.Slots[len(s.Slots)-1])
			})
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(contract, "contract_id", "a contract")
	return s
}

func (c *cursor) stackerDBContract(dst *StackerDBContract) (present bool) {
	if c.err == nil && c.dec.PeekKind() == '"' {
		return c.name(&dst.Text)
	}
	var name, issuer bool
	if !c.object(func(member []byte) {
		switch string(member) {
		case "name":
			name = c.name(&dst.Name)
		case "issuer":
			issuer = c.issuer(dst)
		default:
			c.skip()
		}
	}) {
		return false
	}
	c.need(name, "name", "a string")
	c.need(issuer, "issuer", "an address")
	return true
}

// issuer reads [version, [20 bytes as numbers]].
func (c *cursor) issuer(dst *StackerDBContract) (present bool) {
	const want = "an address as [version, [20 bytes]]"
	parts, size := 0, 0
	present = c.array(func() {
		switch parts++; parts {
		case 1:
			c.uint8(&dst.Version)
		case 2:
			c.array(func() {
				var b uint8
				c.uint8(&b)
				if size < len(dst.Issuer) {
					dst.Issuer[size] = b
				}
				size++
			})
		default:
			c.skip()
		}
	})
	if present && (parts != 2 || size != len(dst.Issuer)) {
		c.fail(&FieldError{Path: c.here(), Want: want, Got: "another number of elements"})
	}
	return present
}

func (c *cursor) stackerDBSlot(s *StackerDBSlot) {
	var id, version bool
	c.object(func(name []byte) {
		switch string(name) {
		case "slot_id":
			id = c.uint32(&s.ID)
		case "slot_version":
			version = c.uint32(&s.Version)
		case "sig":
			s.Sig = c.bytes()
		case "data":
			s.Data = c.bytes()
		default:
			c.skip()
		}
	})
	c.need(id, "slot_id", "a whole number")
	c.need(version, "slot_version", "a whole number")
}
