package nodeevent

import (
	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

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
	present := c.Members(
		required("contract_id", func() bool { return c.stackerDBContract(&s.Contract) }, "a contract"),
		optional("modified_slots", func() { s.Slots = jsoncursor.List(&c.Cursor, c.stackerDBSlot) }),
	)
	c.NeedValue(present, "an object")
	return s
}

func (c *cursor) stackerDBContract(dst *StackerDBContract) (present bool) {
	*dst = StackerDBContract{}
	if c.Peek() == '"' {
		return c.Name(&dst.Text)
	}
	return c.Members(
		required("name", &dst.Name, "a string"),
		required("issuer", func() bool { return c.issuer(dst) }, "an address"),
	)
}

// issuer reads an array of the address version and an array of 20 bytes, as numbers.
func (c *cursor) issuer(dst *StackerDBContract) (present bool) {
	parts, size := 0, 0
	present = c.Array(func() {
		switch parts++; parts {
		case 1:
			c.NeedValue(c.Read(&dst.Version), "a whole number")
		case 2:
			bytes := c.Array(func() {
				var b uint8
				c.NeedValue(c.Read(&b), "a whole number")
				if size < len(dst.Issuer) {
					dst.Issuer[size] = b
				}
				size++
			})
			c.NeedValue(bytes, "20 bytes")
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
	present := c.Members(
		required("slot_id", &s.ID, "a whole number"),
		required("slot_version", &s.Version, "a whole number"),
		optional("sig", &s.Sig),
		optional("data", &s.Data),
	)
	c.Need(present, "slot_id", "a whole number")
}
