package jsoncursor

import (
	"bytes"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/hash"
)

// unquote returns the text of a JSON string, which is valid until the next call.
func (c *Cursor) unquote(v []byte) []byte {
	if len(v) < 2 {
		return nil
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// The only possible error is about bytes that are not UTF-8, which AppendUnquote has replaced by U+FFFD.
	c.scratch, _ = jsontext.AppendUnquote(c.scratch[:0], v)
	return c.scratch
}

// Text reads a string and returns its bytes, which are valid until the next call. want describes the string in errors.
func (c *Cursor) Text(want string) (text []byte, present bool) {
	v := c.value()
	if c.err != nil {
		return nil, false
	}
	switch v[0] {
	case '"':
		return c.unquote(v), true
	case 'n':
		return nil, false
	}
	c.Wrong(want, v, nil)
	return nil, false
}

// String reads a string; null is the empty string.
func (c *Cursor) String(dst *string) (present bool) {
	text, present := c.Text("a string")
	*dst = c.toString(text)
	return present
}

// Name reads a string that is likely to occur more than once in a body, such as an address, a contract or a content
// type. Equal names share their memory.
func (c *Cursor) Name(dst *string) (present bool) {
	text, present := c.Text("a string")
	s, known := c.names[string(text)]
	if !known {
		s = c.toString(text)
		if len(s) <= maxNameBytes && len(c.names) < maxNames {
			c.names[s] = s
		}
	}
	*dst = s
	return present
}

// Bool reads true or false, and leaves dst alone for null.
func (c *Cursor) Bool(dst *bool) (present bool) {
	v := c.value()
	if c.err != nil {
		return false
	}
	switch v[0] {
	case 't', 'f':
		*dst = v[0] == 't'
		return true
	case 'n':
		return false
	}
	c.Wrong("true or false", v, nil)
	return false
}

// Hex reads a hex string with or without 0x; nil for null.
func (c *Cursor) Hex() []byte {
	b, _ := c.HexAt()
	return b
}

// HexAt reads a hex string as Hex does. offset is the position in the body of the first digit after 0x; -1 if the
// string has escapes.
func (c *Cursor) HexAt() (b []byte, offset int64) {
	const want = "a hex string"
	v := c.value()
	if c.err != nil || v[0] == 'n' {
		return nil, 0
	}
	if v[0] != '"' {
		c.Wrong(want, v, nil)
		return nil, 0
	}
	text := c.unquote(v)
	digits := bytes.TrimPrefix(text, []byte("0x"))
	b = make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(b, digits); err != nil {
		c.Wrong(want, text, err)
		return nil, 0
	}
	if hasEscapes := len(text) < len(v)-2; hasEscapes {
		return b, -1
	}
	const closingQuote = 1
	return b, c.dec.InputOffset() - int64(len(digits)+closingQuote)
}

// Hash32 reads a hex string of 32 bytes, with or without 0x; null is the zero hash.
func (c *Cursor) Hash32(dst *hash.Hash32) (present bool) {
	const want = "32 bytes in hex"
	*dst = hash.Hash32{}
	text, present := c.Text(want)
	return present && c.accept(want, text, dst.UnmarshalText(text))
}

// Hash20 reads a hex string of 20 bytes, with or without 0x; null is the zero hash.
func (c *Cursor) Hash20(dst *hash.Hash20) (present bool) {
	const want = "20 bytes in hex"
	*dst = hash.Hash20{}
	text, present := c.Text(want)
	return present && c.accept(want, text, dst.UnmarshalText(text))
}

// accept reports whether err is nil, and records it otherwise.
func (c *Cursor) accept(want string, text []byte, err error) bool {
	if err != nil {
		c.Wrong(want, text, err)
	}
	return err == nil
}

// Digits reads a number, or a string that has to be one, and returns its text, which is valid until the next call. want
// describes the number in errors.
func (c *Cursor) Digits(want string) (text []byte, present bool) {
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
	c.Wrong(want, v, nil)
	return nil, false
}

// Uint reads a whole number of at most the given number of bits. parse converts the text of the number; it reports
// false if the text is no whole number of 64 bits.
func (c *Cursor) Uint(bits int, parse func(text []byte) (n uint64, ok bool)) (n uint64, present bool) {
	text, present := c.Digits("a whole number")
	if !present {
		return 0, false
	}
	n, ok := parse(text)
	if !ok || bits < 64 && n>>bits != 0 {
		c.Wrong("a whole number of at most "+strconv.Itoa(bits)+" bits", text, nil)
		return 0, false
	}
	return n, true
}
