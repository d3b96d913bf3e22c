package ordinals

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/hash"
	"strata/domain/lossy"
	"strata/domain/nodeevent"
)

// cursor walks a body once, value by value. The first error sticks: every later call does nothing and returns zero, so
// that readers need no error handling of their own.
//
// Readers return present = false for null, which is treated like a missing member.
type cursor struct {
	dec     jsontext.Decoder
	err     *nodeevent.FieldError
	names   map[string]string
	scratch []byte
}

// mostNames bounds the table of repeated strings, longestName what goes into it.
const (
	mostNames   = 4096
	longestName = 200
)

var cursors = sync.Pool{New: func() any { return &cursor{names: map[string]string{}} }}

func newCursor(body []byte) *cursor {
	c, _ := cursors.Get().(*cursor)
	// Duplicate names are not worth a hash table per object (the last one wins), and a body with bytes that are not
	// UTF-8 is still a body. The decoder reads straight from a bytes.Buffer, without a copy, and doesn't write to it.
	c.dec.Reset(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return c
}

func (c *cursor) release() {
	c.dec.Reset(&bytes.Buffer{})
	c.err = nil
	clear(c.names)
	if cap(c.scratch) > 1<<20 {
		c.scratch = nil
	}
	cursors.Put(c)
}

// fail records the first error.
func (c *cursor) fail(e *nodeevent.FieldError) {
	if c.err == nil {
		c.err = e
	}
}

// here is the JSON pointer of the value read last.
func (c *cursor) here() string {
	if c.err != nil {
		return ""
	}
	return string(c.dec.StackPointer())
}

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
	c.fail(&nodeevent.FieldError{Path: path, Want: "valid JSON", Got: got, Err: err})
}

// wrong records that the value read last is not what was wanted.
func (c *cursor) wrong(want string, got []byte, err error) {
	if c.err == nil {
		c.fail(&nodeevent.FieldError{Path: c.here(), Want: want, Got: quote(got), Err: err})
	}
}

// quote shows a piece of a body in a message.
func quote(b []byte) string {
	const most = 80
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// need records a missing member of the object read last.
func (c *cursor) need(present bool, member, want string) {
	if !present && c.err == nil {
		c.fail(&nodeevent.FieldError{Path: c.here() + "/" + member, Want: want, Got: "nothing"})
	}
}

// needValue records that the value read last is null.
func (c *cursor) needValue(present bool, want string) {
	if !present {
		c.wrong(want, []byte("null"), nil)
	}
}

// needOne records that the object read last has none or several of the members of which it must have one.
func (c *cursor) needOne(want string, present ...bool) {
	count := 0
	for _, one := range present {
		if one {
			count++
		}
	}
	if count != 1 && c.err == nil {
		c.fail(&nodeevent.FieldError{Path: c.here(), Want: want, Got: fmt.Sprintf("%d of them", count)})
	}
}

// end makes sure that nothing follows.
func (c *cursor) end() {
	if c.err != nil {
		return
	}
	if _, err := c.dec.ReadToken(); !errors.Is(err, io.EOF) {
		c.fail(&nodeevent.FieldError{Want: "one JSON value", Got: "more after it", Err: err})
	}
}

// peek is the kind of the next value.
func (c *cursor) peek() jsontext.Kind {
	if c.err != nil {
		return jsontext.KindInvalid
	}
	return c.dec.PeekKind()
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
	if c.peek() == kind {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
		return c.err == nil
	}
	if v := c.value(); c.err == nil && v[0] != 'n' {
		c.wrong(want, v, nil)
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
	for c.peek() == '"' {
		if name := c.unquote(c.value()); c.err == nil {
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
	for c.peek() != ']' && c.peek() != jsontext.KindInvalid {
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

// string reads a string; empty for null.
func (c *cursor) string(dst *string) (present bool) {
	text, present := c.text("a string")
	*dst = lossy.String(text)
	return present
}

// name reads a string that is likely to occur more than once in a body: an address, a content type. Equal ones share
// their memory.
func (c *cursor) name(dst *string) (present bool) {
	text, present := c.text("a string")
	s, known := c.names[string(text)]
	if !known {
		s = lossy.String(text)
		if len(s) == len(text) && len(s) <= longestName && len(c.names) < mostNames {
			c.names[s] = s
		}
	}
	*dst = s
	return present
}

// namePointer is name, and nil for null.
func (c *cursor) namePointer() *string {
	var s string
	if !c.name(&s) {
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

// raw reads any value and keeps a copy of its JSON text; nil for null.
func (c *cursor) raw() json.RawMessage {
	v := c.value()
	if c.err != nil || v[0] == 'n' {
		return nil
	}
	return bytes.Clone(v)
}

// bytes reads a hex string; nil for null. at is where in the body the digits begin, -1 when some are escaped.
func (c *cursor) bytes() (b []byte, at int64) {
	const want = "a hex string"
	v := c.value()
	if c.err != nil || v[0] == 'n' {
		return nil, 0
	}
	if v[0] != '"' {
		c.wrong(want, v, nil)
		return nil, 0
	}
	text := c.unquote(v)
	digits := without0x(text)
	b = make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(b, digits); err != nil {
		c.wrong(want, text, err)
		return nil, 0
	}
	if escaped := len(text) < len(v)-2; escaped {
		return b, -1
	}
	return b, c.dec.InputOffset() - int64(len(digits)+1) // the quotation mark is behind them
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

func (c *cursor) inscriptionID(dst *InscriptionID) (present bool) {
	const want = "an inscription id"
	text, present := c.text(want)
	if !present {
		return false
	}
	id, err := ParseInscriptionID(string(without0x(text)))
	if err != nil {
		c.wrong(want, text, nil)
		return false
	}
	*dst = id
	return true
}

// reference reads the id of another inscription as it is, except for 0x; empty for null.
func (c *cursor) reference(dst *string) (present bool) {
	present = c.name(dst)
	*dst = strings.TrimPrefix(*dst, "0x")
	return present
}

func (c *cursor) satpoint(dst *Satpoint) (present bool) {
	const want = "txid:vout:offset"
	text, present := c.text(want)
	if !present {
		return false
	}
	p, err := ParseSatpoint(string(text))
	if err != nil {
		c.wrong(want, text, err)
		return false
	}
	*dst = p
	return true
}

func without0x(text []byte) []byte { return bytes.TrimPrefix(text, []byte("0x")) }
