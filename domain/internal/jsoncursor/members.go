package jsoncursor

import (
	"encoding/json"
	"strings"

	"strata/domain/hash"
)

// Member is a member of an object, with the place for its value.
type Member struct {
	Name string
	Dst  any    // see [Cursor.Read]
	Want string // describes the value in errors if the member is required; empty for an optional member
}

// Members reads an object of these members, at most 64, and records an error if it lacks a required one. It passes the
// names of other members to c.Unknown, and skips their values.
func (c *Cursor) Members(members ...Member) (present bool) {
	if !c.open('{', "an object") {
		return false
	}
	var found uint64 // a bit for each member
	next := 0
	for c.Peek() == '"' {
		name := c.unquote(c.value())
		if c.err != nil {
			break
		}
		at := memberNamed(members, name, next)
		if at < 0 {
			if c.Unknown != nil {
				c.Unknown(name)
			}
			c.Skip()
			continue
		}
		found &^= 1 << at
		if c.Read(members[at].Dst) {
			found |= 1 << at
		}
		next = at + 1
	}
	if !c.close() {
		return false
	}
	for i := range members {
		if members[i].Want != "" && found&(1<<i) == 0 {
			// With the text itself in the error, members, and all functions in them, would move to the heap.
			c.Need(false, members[i].Name, strings.Clone(members[i].Want))
		}
	}
	return true
}

// memberNamed returns the index of the member with a name, or -1. It begins at next, because most objects have their
// members in about the same order.
func memberNamed(members []Member, name []byte, next int) int {
	for i := next; i < len(members); i++ {
		if members[i].Name == string(name) {
			return i
		}
	}
	for i := range members[:next] {
		if members[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// Read reads the value that belongs to dst: a function that reads it, or a pointer to it. A pointer to a pointer, a
// slice or raw JSON is nil for null.
func (c *Cursor) Read(dst any) (present bool) {
	switch dst := dst.(type) {
	case func() (present bool):
		return dst()
	case func():
		dst()
		return true
	case *string:
		return c.Name(dst)
	case *bool:
		return c.Bool(dst)
	case *uint8:
		return readUint(c, 8, dst)
	case *uint16:
		return readUint(c, 16, dst)
	case *uint32:
		return readUint(c, 32, dst)
	case *uint64:
		return readUint(c, c.UintBits, dst)
	case *hash.Hash20:
		return c.Hash20(dst)
	case *hash.Hash32:
		return c.Hash32(dst)
	case *[]byte:
		*dst = c.Hex()
		return *dst != nil
	case *json.RawMessage:
		*dst = c.Raw()
		return *dst != nil
	case **string:
		return readPointer(c, dst)
	case **bool:
		return readPointer(c, dst)
	case **uint8:
		return readPointer(c, dst)
	case **uint16:
		return readPointer(c, dst)
	case **uint32:
		return readPointer(c, dst)
	case **uint64:
		return readPointer(c, dst)
	case **hash.Hash20:
		return readPointer(c, dst)
	case **hash.Hash32:
		return readPointer(c, dst)
	}
	panic("jsoncursor: no reader for the type of a member")
}

func readUint[T uint8 | uint16 | uint32 | uint64](c *Cursor, bits int, dst *T) (present bool) {
	n, present := c.Uint(bits, c.ParseUint)
	*dst = T(n)
	return present
}

func readPointer[T any](c *Cursor, dst **T) (present bool) {
	v := new(T)
	if !c.Read(v) {
		v = nil
	}
	*dst = v
	return v != nil
}
