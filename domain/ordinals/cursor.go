package ordinals

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"strata/domain/internal/jsoncursor"
)

// cursor reads the bodies of the feed. Its methods are the readers of the payload and of its parts.
type cursor struct {
	jsoncursor.Cursor
	faults     []Fault
	moreFaults int // beyond faultsMost
}

var cursors = sync.Pool{New: func() any {
	c := new(cursor)
	// Most numbers go to signed columns of 64 bits.
	c.ParseUint, c.UintBits = parseUint, 63
	return c
}}

func required(name string, dst any, want string) jsoncursor.Member {
	return jsoncursor.Member{Name: name, Dst: dst, Want: want}
}

func optional(name string, dst any) jsoncursor.Member { return jsoncursor.Member{Name: name, Dst: dst} }

// elements reads an array; a value that is none is a fault. element gets the JSON pointer of its value: the array's,
// which ends in a slash, and an index.
func elements[T any](c *cursor, pointer string, element func(dst *T, pointer string)) (list []T) {
	c.part(func() {
		present := c.Array(func() {
			var zero T
			index := len(list)
			list = append(list, zero)
			element(&list[index], pointer+strconv.Itoa(index))
		})
		c.NeedValue(present, "an array")
	}, nil)
	return list
}

func (c *cursor) inscriptionID(dst *InscriptionID) (present bool) {
	const want = "an inscription id"
	text, present := c.Text(want)
	if !present {
		return false
	}
	id, err := ParseInscriptionID(string(bytes.TrimPrefix(text, []byte("0x"))))
	if err != nil {
		c.Wrong(want, text, nil)
		return false
	}
	*dst = id
	return true
}

// reference reads the id of another inscription and removes 0x from it, but does not check it; empty for null.
func (c *cursor) reference(dst *string) (present bool) {
	present = c.Name(dst)
	*dst = strings.TrimPrefix(*dst, "0x")
	return present
}

func (c *cursor) satpoint(dst *Satpoint) (present bool) {
	const want = "txid:vout:offset"
	text, present := c.Text(want)
	if !present {
		return false
	}
	p, err := ParseSatpoint(string(text))
	if err != nil {
		c.Wrong(want, text, err)
		return false
	}
	*dst = p
	return true
}
