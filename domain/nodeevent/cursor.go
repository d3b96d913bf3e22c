package nodeevent

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/hash"
)

// cursor walks a body once, value by value. The first error sticks: every later call does nothing and returns zero,
// so that readers need no error handling of their own.
//
// Readers return present = false for null, which is treated like a missing member.
type cursor struct {
	dec     jsontext.Decoder
	body    []byte
	err     *FieldError
	names   map[string]string
	scratch []byte
	fields  eventFields // of the event being read
}

// mostNames bounds the table of repeated strings; a genesis block has a hundred thousand different recipients.
const mostNames = 4096

var cursors = sync.Pool{New: func() any { return &cursor{names: map[string]string{}} }}

func newCursor(body []byte) *cursor {
	c, _ := cursors.Get().(*cursor)
	c.body = body
	// Duplicate names are not worth a hash table per object (the last one wins), and a body with bytes that are not
	// UTF-8 is still a body. The decoder reads straight from a bytes.Buffer, without a copy, and doesn't write to it.
	c.dec.Reset(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return c
}

func (c *cursor) release() {
	c.dec.Reset(&bytes.Buffer{})
	c.body, c.err = nil, nil
	clear(c.names)
	c.fields = eventFields{}
	if cap(c.scratch) > 1<<20 {
		c.scratch = nil
	}
	cursors.Put(c)
}

// fail records the first error.
func (c *cursor) fail(e *FieldError) {
	if c.err == nil {
		c.err = e
	}
}

// here is the JSON pointer of the value read last.
func (c *cursor) here() string { return string(c.dec.StackPointer()) }

// syntax records what the JSON decoder has to say. For an error far down, the path stops at a member above it.
func (c *cursor) syntax(err error) {
	const longest = 400
	path, got := c.here(), "something else"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		got = "the end of the body"
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		// Its own message repeats the path, at full length.
		path, err = string(syntactic.JSONPointer), fmt.Errorf("%w at byte %d", syntactic.Err, syntactic.ByteOffset)
	}
	if len(path) > longest {
		path = path[:strings.LastIndexByte(path[:longest], '/')]
	}
	c.fail(&FieldError{Path: path, Want: "valid JSON", Got: got, Err: err})
}

// wrong records that the value read last is not what was wanted.
func (c *cursor) wrong(want string, got []byte, err error) {
	if c.err == nil {
		c.fail(&FieldError{Path: c.here(), Want: want, Got: quote(got), Err: err})
	}
}

// need records a missing member of the object or array element read last.
func (c *cursor) need(present bool, member, want string) {
	if !present && c.err == nil {
		c.fail(&FieldError{Path: c.here() + "/" + member, Want: want, Got: "nothing"})
	}
}

// end makes sure that nothing follows.
func (c *cursor) end() {
	if c.err != nil {
		return
	}
	if _, err := c.dec.ReadToken(); !errors.Is(err, io.EOF) {
		c.fail(&FieldError{Want: "one JSON value", Got: "more after it", Err: err})
	}
}

// value reads any value and returns its JSON text, which is valid until the next call.
func (c *cursor) value() []byte {
	if c.err != nil {
		return nil
	}
	v, err := c.dec.ReadValue()
	if err != nil {
		c.syntax(err)
		return nil
	}
	return v
}

// skip passes over a value of any size. ReadValue returns a part of the body, so nothing is copied; SkipValue would go
// token by token.
func (c *cursor) skip() { c.value() }

// open enters an object or array; it reports false for null and for anything else.
func (c *cursor) open(kind jsontext.Kind, want string) bool {
	if c.err != nil {
		return false
	}
	switch c.dec.PeekKind() {
	case kind:
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
		return c.err == nil
	case 'n':
		c.value()
	default:
		if got := c.value(); c.err == nil {
			c.wrong(want, got, nil)
		}
	}
	return false
}

func (c *cursor) close() bool {
	if c.err == nil {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
	}
	return c.err == nil
}

// object calls member for each member; member has to read exactly one value. name is valid until it does.
func (c *cursor) object(member func(name []byte)) (present bool) {
	if !c.open('{', "an object") {
		return false
	}
	for c.err == nil && c.dec.PeekKind() == '"' {
		name := c.unquote(c.value())
		if c.err == nil {
			member(name)
		}
	}
	return c.close()
}

// array calls element for each element; element has to read exactly one value.
func (c *cursor) array(element func()) (present bool) {
	if !c.open('[', "an array") {
		return false
	}
	for c.err == nil && c.dec.PeekKind() != ']' && c.dec.PeekKind() != jsontext.KindInvalid {
		element()
	}
	return c.close()
}

// unquote returns the text of a JSON string, valid until the next call.
func (c *cursor) unquote(v []byte) []byte {
	if len(v) < 2 {
		return nil
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// Its only error here is about bytes that are not UTF-8, which have become U+FFFD.
	c.scratch, _ = jsontext.AppendUnquote(c.scratch[:0], v)
	return c.scratch
}

// text reads a string and returns its bytes, valid until the next call.
func (c *cursor) text(want string) (text []byte, present bool) {
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
	c.wrong(want, v, nil)
	return nil, false
}

// string reads a string.
func (c *cursor) string(dst *string) (present bool) {
	text, present := c.text("a string")
	*dst = toString(text)
	return present
}

// name reads a string that is likely to occur more than once in a body: an address, a contract, an asset. Equal ones
// share their memory.
func (c *cursor) name(dst *string) (present bool) {
	text, present := c.text("a string")
	s, known := c.names[string(text)]
	if !known {
		s = toString(text)
		if len(c.names) < mostNames {
			c.names[s] = s
		}
	}
	*dst = s
	return present
}

func toString(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}

// stringPointer reads a string or null.
func (c *cursor) stringPointer() *string {
	var s string
	if !c.string(&s) {
		return nil
	}
	return &s
}

func (c *cursor) bool(dst *bool) (present bool) {
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
	c.wrong("true or false", v, nil)
	return false
}

func (c *cursor) boolPointer() *bool {
	var b bool
	if !c.bool(&b) {
		return nil
	}
	return &b
}

// raw reads any value and keeps a copy of its JSON text; nil for null.
func (c *cursor) raw() json.RawMessage {
	v := c.value()
	if c.err != nil || v[0] == 'n' {
		return nil
	}
	return bytes.Clone(v)
}

// bytes reads a hex string with or without 0x; nil for null.
func (c *cursor) bytes() []byte {
	text, present := c.text("a hex string")
	if !present {
		return nil
	}
	digits := text
	if len(digits) >= 2 && digits[0] == '0' && digits[1] == 'x' {
		digits = digits[2:]
	}
	b := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(b, digits); err != nil {
		c.wrong("a hex string", text, err)
		return nil
	}
	return b
}

func (c *cursor) hash32(dst *hash.Hash32) (present bool) {
	const want = "32 bytes in hex"
	text, present := c.text(want)
	if !present {
		return false
	}
	if err := dst.UnmarshalText(text); err != nil {
		c.wrong(want, text, err)
		return false
	}
	return true
}

func (c *cursor) hash20(dst *hash.Hash20) (present bool) {
	const want = "20 bytes in hex"
	text, present := c.text(want)
	if !present {
		return false
	}
	if err := dst.UnmarshalText(text); err != nil {
		c.wrong(want, text, err)
		return false
	}
	return true
}

func (c *cursor) hash32Pointer() *hash.Hash32 {
	var h hash.Hash32
	if !c.hash32(&h) {
		return nil
	}
	return &h
}

func (c *cursor) hash20Pointer() *hash.Hash20 {
	var h hash.Hash20
	if !c.hash20(&h) {
		return nil
	}
	return &h
}

// since copies the JSON of the value that was read after the cursor stood at start, just behind a member's name.
func (c *cursor) since(start int64) json.RawMessage { return c.between(start, c.dec.InputOffset()) }

// between copies the JSON of a member's value; start is just behind its name.
func (c *cursor) between(start, end int64) json.RawMessage {
	if c.err != nil {
		return nil
	}
	return bytes.Clone(bytes.TrimLeft(c.body[start:end], ": \t\r\n"))
}

// needObject records that the body is null.
func (c *cursor) needObject(present bool) {
	if c.err == nil && !present {
		c.wrong("an object", []byte("null"), nil)
	}
}

// byteStrings reads an array of hex strings; nil for null.
func (c *cursor) byteStrings() [][]byte {
	list := [][]byte{}
	if !c.array(func() {
		b := c.bytes()
		if b == nil {
			c.wrong("a hex string", []byte("null"), nil)
		}
		list = append(list, b)
	}) {
		return nil
	}
	return list
}

// nameList reads an array of strings; nil for null.
func (c *cursor) nameList() []string {
	list := []string{}
	if !c.array(func() {
		var s string
		if !c.name(&s) {
			c.wrong("a string", []byte("null"), nil)
		}
		list = append(list, s)
	}) {
		return nil
	}
	return list
}
