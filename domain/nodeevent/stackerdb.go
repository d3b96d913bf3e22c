package nodeevent

import "strata/domain/hash"

// StackerDBChunks is the body of /stackerdb_chunks.
type StackerDBChunks struct {
	Contract StackerDBContract // required
	Slots    []StackerDBSlot
}

// StackerDBContract names the contract of a StackerDB. Nodes write a structure, which sets Name, Version and Issuer. A
// plain string sets only Text.
type StackerDBContract struct {
	Name    string // such as miners, or signers-0-1
	Version uint8  // c32 address version of the issuer
	Issuer  hash.Hash20
	Text    string
}

// StackerDBSlot is a slot in which the node stored a chunk.
type StackerDBSlot struct {
	ID      uint32 // required
	Version uint32 // required
	Sig     []byte // 65 bytes; nil when missing
	Data    []byte // nil when missing
}

func (c *cursor) stackerDBChunks() *StackerDBChunks {
	s := &StackerDBChunks{}
	contract := false
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "contract_id":
			contract = c.stackerDBContract(&s.Contract)
		case "modified_slots":
			s.Slots = nil
			c.Array(func() {
				s.Slots = append(s.Slots, StackerDBSlot{})
				c.stackerDBSlot(&s.Slots[len(s.Slots)-1])
			})
		default:
			c.unknown(name)
		}
	})
	c.NeedValue(present, "an object")
	c.Need(contract, "contract_id", "a contract")
	return s
}

func (c *cursor) stackerDBContract(dst *StackerDBContract) (present bool) {
	if c.Peek() == '"' {
		return c.Name(&dst.Text)
	}
	var name, issuer bool
	if !c.Object(func(member []byte) {
		switch string(member) {
		case "name":
			name = c.Name(&dst.Name)
		case "issuer":
			issuer = c.issuer(dst)
		default:
			c.unknown(member)
		}
	}) {
		return false
	}
	c.Need(name, "name", "a string")
	c.Need(issuer, "issuer", "an address")
	return true
}

// issuer reads an array of the address version and an array of 20 bytes, as numbers.
func (c *cursor) issuer(dst *StackerDBContract) (present bool) {
	parts, size := 0, 0
	present = c.Array(func() {
		switch parts++; parts {
		case 1:
			c.uint8(&dst.Version)
		case 2:
			c.Array(func() {
				var b uint8
				c.uint8(&b)
				if size < len(dst.Issuer) {
					dst.Issuer[size] = b
				}
				size++
			})
		default:
			c.Skip()
		}
	})
	if present && (parts != 2 || size != len(dst.Issuer)) {
		c.WrongCount("an address as [version, [20 bytes]]", "another number of elements")
	}
	return present
}

func (c *cursor) stackerDBSlot(s *StackerDBSlot) {
	var id, version bool
	c.Object(func(name []byte) {
		switch string(name) {
		case "slot_id":
			id = c.uint32(&s.ID)
		case "slot_version":
			version = c.uint32(&s.Version)
		case "sig":
			s.Sig = c.Hex()
		case "data":
			s.Data = c.Hex()
		default:
			c.unknown(name)
		}
	})
	c.Need(id, "slot_id", "a whole number")
	c.Need(version, "slot_version", "a whole number")
}
