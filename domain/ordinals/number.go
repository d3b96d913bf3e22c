package ordinals

import "strconv"

// parseUint parses a whole number of at most 64 bits that has no sign.
func parseUint(text []byte) (n uint64, ok bool) {
	n, err := strconv.ParseUint(string(text), 10, 64)
	return n, err == nil
}

// uint63 reads a number that fits a signed column of 64 bits.
func (c *cursor) uint63(dst *uint64) (present bool) {
	*dst, present = c.Uint(63, parseUint)
	return present
}

// uint64 reads a number that the author of an inscription chose freely.
func (c *cursor) uint64(dst *uint64) (present bool) {
	*dst, present = c.Uint(64, parseUint)
	return present
}

func (c *cursor) uint32(dst *uint32) (present bool) {
	n, present := c.Uint(32, parseUint)
	*dst = uint32(n)
	return present
}

// int64 reads a whole number with or without a minus.
func (c *cursor) int64(dst *int64) (present bool) {
	const want = "a whole number"
	text, present := c.Digits(want)
	if !present {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || text[0] == '+' {
		c.Wrong(want+" of at most 64 bits", text, nil)
		return false
	}
	*dst = n
	return true
}

// sat reads the number of a sat.
func (c *cursor) sat(dst *Sat) (present bool) {
	const want = "a sat, which is a whole number below 2099999997690000"
	text, present := c.Digits(want)
	if !present {
		return false
	}
	n, ok := parseUint(text)
	if !ok || !Sat(n).Valid() {
		c.Wrong(want, text, nil)
		return false
	}
	*dst = Sat(n)
	return true
}
