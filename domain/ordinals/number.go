package ordinals

import (
	"fmt"
	"strconv"
)

// digits reads a number, or a string that has to be one, and returns its text, valid until the next call.
func (c *cursor) digits(want string) (text []byte, present bool) {
	v := c.value()
	if c.err != nil {
		return nil, false
	}
	switch v[0] {
	case 'n':
		return nil, false
	case '"':
		return c.unquote(v), true
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return v, true
	}
	c.wrong(want, v, nil)
	return nil, false
}

// parseDigits reads a whole number of at most bits bits that has no sign.
func parseDigits(text []byte, bits int) (n uint64, ok bool) {
	n, err := strconv.ParseUint(string(text), 10, bits)
	return n, err == nil
}

// uint reads a whole number of at most bits bits.
func (c *cursor) uint(bits int) (n uint64, present bool) {
	want := "a whole number"
	text, present := c.digits(want)
	if !present {
		return 0, false
	}
	n, ok := parseDigits(text, bits)
	if !ok {
		c.wrong(fmt.Sprintf("%s of at most %d bits", want, bits), text, nil)
	}
	return n, ok
}

// uint63 reads a number that fits a signed column of 64 bits.
func (c *cursor) uint63(dst *uint64) (present bool) {
	*dst, present = c.uint(63)
	return present
}

func (c *cursor) uint63Pointer() *uint64 {
	var n uint64
	if !c.uint63(&n) {
		return nil
	}
	return &n
}

// uint64Pointer reads a number that an inscription chose freely.
func (c *cursor) uint64Pointer() *uint64 {
	n, present := c.uint(64)
	if !present {
		return nil
	}
	return &n
}

func (c *cursor) uint32(dst *uint32) (present bool) {
	n, present := c.uint(32)
	*dst = uint32(n)
	return present
}

// int64 reads a whole number with or without a minus.
func (c *cursor) int64(dst *int64) (present bool) {
	const want = "a whole number"
	text, present := c.digits(want)
	if !present {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || text[0] == '+' {
		c.wrong(want+" of at most 64 bits", text, nil)
		return false
	}
	*dst = n
	return true
}

// sat reads the number of a sat.
func (c *cursor) sat(dst *Sat) (present bool) {
	const want = "a sat, which is a whole number below 2099999997690000"
	text, present := c.digits(want)
	if !present {
		return false
	}
	n, ok := parseDigits(text, 64)
	if !ok || !Sat(n).Valid() {
		c.wrong(want, text, nil)
		return false
	}
	*dst = Sat(n)
	return true
}
