package synthordinals

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"strata/internal/synth/value"
)

// object is a JSON object. Its members are written in this order, unless the encoder sorts them.
type object []member

// member is a member of an object. A member whose value is nil is omitted.
type member struct {
	name  string
	value any
}

// list is a JSON array.
type list []any

// raw is encoded JSON.
type raw string

const (
	null  raw = "null"
	empty raw = "[]"
)

// optional returns a text, or null if it is empty and keepEmpty is not set.
func optional(s string, keepEmpty bool) any {
	if s == "" && !keepEmpty {
		return null
	}
	return s
}

// hex returns bytes in hex.
func (s Shape) hex(b []byte) raw {
	prefix := `"0x`
	if s.Hex == HexBare {
		prefix = `"`
	}
	return raw(prefix + hex.EncodeToString(b) + `"`)
}

// write writes a value as compact JSON, as serde_json does: it escapes only characters that must be escaped.
func (e *encoder) write(v any) {
	switch v := v.(type) {
	case object:
		e.writeObject(v)
	case list:
		writeList(e, v)
	case []*block:
		writeList(e, v)
	case *block:
		s := e.shape(v)
		e.sorted = s.Sorted
		e.writeObject(e.block(v, s))
	case raw:
		e.buf = append(e.buf, v...)
	case string:
		e.buf = value.Must(jsontext.AppendQuote(e.buf, v))
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case uint32:
		e.buf = strconv.AppendUint(e.buf, uint64(v), 10)
	case uint64:
		e.buf = strconv.AppendUint(e.buf, v, 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, v, 10)
	default:
		panic(fmt.Sprintf("synthordinals: no JSON for a %T", v))
	}
}

func (e *encoder) writeObject(members object) {
	if e.sorted {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	}
	separator := `{"`
	for _, m := range members {
		if m.value != nil {
			e.buf = append(append(append(e.buf, separator...), m.name...), `":`...)
			e.write(m.value)
			separator = `,"`
		}
	}
	e.buf = append(e.buf, '}')
}

func writeList[T any](e *encoder, values []T) {
	e.buf = append(e.buf, '[')
	for i, v := range values {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.write(v)
	}
	e.buf = append(e.buf, ']')
}
