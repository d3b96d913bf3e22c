package nodeevent

import (
	"strings"
	"sync"
	"unicode/utf8"

	"strata/domain/internal/jsoncursor"
)

// FieldError says which member of a body is not what it has to be.
type FieldError = jsoncursor.FieldError

// cursor reads the bodies that nodes post. Its methods are the readers of the payloads and of their parts.
type cursor struct {
	jsoncursor.Cursor
	fields eventFields // of the event being read
	// unknownFields are the members of this body that nobody decodes; see unknown.
	unknownFields []unknownField
}

var cursors = sync.Pool{New: func() any {
	c := new(cursor)
	c.ParseUint, c.UintBits, c.Unknown = parseUint, 64, c.note
	return c
}}

func required(name string, dst any, want string) jsoncursor.Member {
	return jsoncursor.Member{Name: name, Dst: dst, Want: want}
}

func optional(name string, dst any) jsoncursor.Member { return jsoncursor.Member{Name: name, Dst: dst} }

// decode reads the whole body as a payload.
func decode[P Payload](body []byte, read func(*cursor) P) (Payload, []string, error) {
	payload, unknown, err := decodeValue(body, read)
	if err != nil {
		return nil, nil, err
	}
	return payload, unknown, nil
}

// decodeValue is decode for a value that need not be a payload.
func decodeValue[V any](body []byte, read func(*cursor) V) (value V, unknown []string, err error) {
	c, _ := cursors.Get().(*cursor)
	defer cursors.Put(c)
	c.Start(body, toString)
	value = read(c)
	c.fields = eventFields{}
	unknown = c.takeUnknown()
	return value, unknown, c.Finish()
}

// toString converts text and replaces each run of bytes that are not UTF-8 by one U+FFFD.
func toString(text []byte) string { return strings.ToValidUTF8(string(text), string(utf8.RuneError)) }
