package jsoncursor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Cursor is a position in a JSON body. The zero Cursor is ready for Start. A package that reads a kind of body embeds a
// Cursor in a type of its own, adds its readers as methods, and reuses the values of that type for many bodies.
type Cursor struct {
	// ParseUint and UintBits say how Read parses a whole number, and how many bits one for a uint64 may have.
	ParseUint func(text []byte) (n uint64, ok bool)
	UintBits  int
	// Unknown, if not nil, gets the name of each member that Members does not know. It must not read.
	Unknown func(name []byte)

	dec      jsontext.Decoder
	body     []byte
	toString func([]byte) string
	err      *FieldError
	broken   bool              // err is of the syntax, so nothing behind it can be read
	names    map[string]string // see Name
	scratch  []byte            // the last text that had escapes
}

const (
	// maxNames bounds the table of repeated strings: a genesis block has a hundred thousand different recipients.
	maxNames = 4096
	// maxNameBytes bounds the strings in that table. The longest name on a Stacks chain, an asset identifier, has 300.
	maxNameBytes = 320
	// maxScratchBytes bounds the memory that an idle cursor keeps.
	maxScratchBytes = 1 << 20
)

// Start puts the cursor at the start of body. toString converts the text of a JSON string, which need not be UTF-8, to
// a Go string.
func (c *Cursor) Start(body []byte, toString func([]byte) string) {
	c.body, c.toString, c.err, c.broken = body, toString, nil, false
	if c.names == nil {
		c.names = map[string]string{}
	}
	// Rejecting duplicate names would cost a hash table for each object. The decoder reads straight from a
	// bytes.Buffer, without a copy, and does not write to it.
	c.dec.Reset(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Finish makes sure that the whole body was read and returns the first error, a *FieldError. The cursor then refers to
// the body no more.
func (c *Cursor) Finish() error {
	c.end()
	err := c.err
	c.dec.Reset(&bytes.Buffer{})
	c.body, c.toString, c.err = nil, nil, nil
	clear(c.names)
	if cap(c.scratch) > maxScratchBytes {
		c.scratch = nil
	}
	if err != nil {
		return err
	}
	return nil // not err, which would be an error that holds a nil pointer
}

// end makes sure that nothing follows the value read last.
func (c *Cursor) end() {
	if c.err != nil {
		return
	}
	if _, err := c.dec.ReadToken(); !errors.Is(err, io.EOF) {
		c.broken = true
		c.Fail(&FieldError{Want: "one JSON value", Got: "more after it", Err: err})
	}
}

// Failed reports whether there was an error.
func (c *Cursor) Failed() bool { return c.err != nil }

// Fail records an error, unless there is one already.
func (c *Cursor) Fail(e *FieldError) {
	if c.err == nil {
		c.err = e
	}
}

// Part calls read, which has to read exactly one value. It returns an error of read, except one of the syntax, instead of
// recording it: the cursor skips the rest of the value, and goes on behind it. text is the JSON of the value, a part of the body.
func (c *Cursor) Part(read func()) (text []byte, err *FieldError) {
	if c.err != nil {
		return nil, nil
	}
	start, depth := c.dec.InputOffset(), c.dec.StackDepth()
	read()
	if c.err == nil || c.broken {
		return nil, nil
	}
	err, c.err = c.err, nil
	for c.err == nil && c.dec.StackDepth() > depth {
		if kind := c.Peek(); kind == '}' || kind == ']' {
			c.close()
		} else {
			c.Skip()
		}
	}
	if c.err != nil {
		return nil, nil
	}
	return bytes.TrimLeft(c.body[start:c.dec.InputOffset()], ",: \t\r\n"), err
}

// Wrong records that the value read last is got instead of want. err is the cause and may be nil.
func (c *Cursor) Wrong(want string, got []byte, err error) {
	if c.err == nil {
		c.Fail(&FieldError{Path: c.pointer(), Want: want, Got: excerpt(got), Err: err})
	}
}

// WrongCount records that the array or object read last has the wrong number of elements or members.
func (c *Cursor) WrongCount(want, got string) {
	if c.err == nil {
		c.Fail(&FieldError{Path: c.pointer(), Want: want, Got: got})
	}
}

// Need records an error if a member of the object read last is not present.
func (c *Cursor) Need(present bool, member, want string) {
	if !present && c.err == nil {
		c.Fail(&FieldError{Path: c.pointer() + "/" + member, Want: want, Got: "nothing"})
	}
}

// NeedValue records an error if the value read last is null.
func (c *Cursor) NeedValue(present bool, want string) {
	if !present {
		c.Wrong(want, []byte("null"), nil)
	}
}

// NeedOne records an error unless exactly one of several members of the object read last is present.
func (c *Cursor) NeedOne(want string, present ...bool) {
	count := 0
	for _, p := range present {
		if p {
			count++
		}
	}
	if count != 1 {
		c.WrongCount(want, fmt.Sprintf("%d of them", count))
	}
}

// syntax records an error of the JSON decoder. If the JSON pointer is very long, the path names an object or array
// above the error.
func (c *Cursor) syntax(err error) {
	const maxPath = 400
	path, got := c.pointer(), "something else"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		got = "the end of the body"
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		// The message of a SyntacticError repeats the whole path.
		path, err = string(syntactic.JSONPointer), fmt.Errorf("%w at byte %d", syntactic.Err, syntactic.ByteOffset)
	}
	if len(path) > maxPath {
		path = path[:strings.LastIndexByte(path[:maxPath], '/')]
	}
	c.broken = true
	c.Fail(&FieldError{Path: path, Want: "valid JSON", Got: got, Err: err})
}

// Pointer returns the JSON pointer of the value or member name read last.
func (c *Cursor) Pointer() string { return c.pointer() }

// Depth returns the number of objects and arrays around the value or member name read last.
func (c *Cursor) Depth() int { return c.dec.StackDepth() }

// pointer returns the JSON pointer of the value read last.
func (c *Cursor) pointer() string { return string(c.dec.StackPointer()) }

// Peek returns the kind of the next value, or KindInvalid after an error.
func (c *Cursor) Peek() jsontext.Kind {
	if c.err != nil {
		return jsontext.KindInvalid
	}
	return c.dec.PeekKind()
}

// value reads any value and returns its JSON text, which is valid until the next call.
func (c *Cursor) value() []byte {
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

// Skip skips a value of any size. It copies nothing: ReadValue returns a part of the body. (SkipValue of the decoder
// would go token by token.)
func (c *Cursor) Skip() { c.value() }

// Raw reads any value and returns a copy of its JSON text; nil for null.
func (c *Cursor) Raw() json.RawMessage {
	v := c.value()
	if c.err != nil || v[0] == 'n' {
		return nil
	}
	return bytes.Clone(v)
}

// Offset returns the position in the body, in bytes, behind the value or member name read last.
func (c *Cursor) Offset() int64 { return c.dec.InputOffset() }

// Between returns a copy of the JSON text of a member's value. start is the offset behind the member's name, end the
// one behind the value.
func (c *Cursor) Between(start, end int64) json.RawMessage {
	if c.err != nil {
		return nil
	}
	return bytes.Clone(bytes.TrimLeft(c.body[start:end], ": \t\r\n"))
}

// Object reads an object and calls member for each member, which has to read exactly one value. name is valid until it
// does.
func (c *Cursor) Object(member func(name []byte)) (present bool) {
	if !c.open('{', "an object") {
		return false
	}
	for c.Peek() == '"' {
		if name := c.unquote(c.value()); c.err == nil {
			member(name)
		}
	}
	return c.close()
}

// Array reads an array and calls element for each element, which has to read exactly one value.
func (c *Cursor) Array(element func()) (present bool) {
	if !c.open('[', "an array") {
		return false
	}
	for kind := c.Peek(); kind != ']' && kind != jsontext.KindInvalid; kind = c.Peek() {
		element()
	}
	return c.close()
}

// Units reads an array whose elements stand for themselves: one that is not what it has to be leaves the others readable.
// element has to read exactly one value, at an index of the array. Text that is no JSON is an error of the whole body.
func (c *Cursor) Units(element func(index int)) (damaged []*FieldError, present bool) {
	index := 0
	present = c.Array(func() {
		depth := c.Depth()
		element(index)
		if c.err != nil && !c.broken {
			damaged, c.err = append(damaged, c.err), nil
			c.leave(depth)
		}
		index++
	})
	return damaged, present
}

// leave reads on to the end of the objects and arrays that are within others, of which there are depth.
func (c *Cursor) leave(depth int) {
	for c.err == nil && c.Depth() > depth {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
	}
}

// open enters an object or array. It reports false for null and for anything else, which is an error.
func (c *Cursor) open(kind jsontext.Kind, want string) bool {
	if c.Peek() == kind {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
		return c.err == nil
	}
	if v := c.value(); c.err == nil && v[0] != 'n' {
		c.Wrong(want, v, nil)
	}
	return false
}

// close leaves an object or array. It reports false after an error.
func (c *Cursor) close() bool {
	if c.err == nil {
		if _, err := c.dec.ReadToken(); err != nil {
			c.syntax(err)
		}
	}
	return c.err == nil
}

// List reads an array into a slice, nil for null. element has to read exactly one value.
func List[T any](c *Cursor, element func(dst *T)) []T {
	list := []T{}
	if !c.Array(func() {
		var zero T
		list = append(list, zero)
		element(&list[len(list)-1])
	}) {
		return nil
	}
	return list
}

// Optional reads a value and returns a pointer to it; nil for null.
func Optional[T any](read func(dst *T) (present bool)) *T {
	var v T
	if !read(&v) {
		return nil
	}
	return &v
}
