package synthordinals

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// writer writes compact JSON as serde_json does, and escapes only characters that must be escaped.
type writer struct {
	buf    []byte
	sorted bool // objects have their members in the order of the names
}

// member is a member of an object. A member without a value is omitted.
type member struct {
	name  string
	value func()
}

func (w *writer) object(members ...member) {
	if w.sorted {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	}
	w.buf = append(w.buf, '{')
	first := true
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if !first {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.buf = append(w.buf, '"')
		w.buf = append(w.buf, m.name...)
		w.buf = append(w.buf, '"', ':')
		m.value()
	}
	w.buf = append(w.buf, '}')
}

// array writes an array of n elements.
func (w *writer) array(n int, element func(int)) {
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		element(i)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) raw(text string) func() { return func() { w.buf = append(w.buf, text...) } }

func (w *writer) text(s string) func() {
	return func() {
		var err error
		if w.buf, err = jsontext.AppendQuote(w.buf, s); err != nil {
			panic("synthordinals: " + err.Error()) // not UTF-8, which all texts are
		}
	}
}

// optional returns a writer of a text, or of null if the text is empty and keepEmpty is not set.
func (w *writer) optional(s string, keepEmpty bool) func() {
	if s == "" && !keepEmpty {
		return w.raw("null")
	}
	return w.text(s)
}

func (w *writer) number(n uint64) func() {
	return func() { w.buf = strconv.AppendUint(w.buf, n, 10) }
}

func (w *writer) integer(n int64) func() {
	return func() { w.buf = strconv.AppendInt(w.buf, n, 10) }
}

func (w *writer) bool(b bool) func() { return w.raw(strconv.FormatBool(b)) }

// hex returns a writer of bytes in hex, with 0x unless bare is set.
func (w *writer) hex(b []byte, bare bool) func() {
	return func() {
		w.buf = append(w.buf, '"')
		if !bare {
			w.buf = append(w.buf, "0x"...)
		}
		w.buf = hex.AppendEncode(w.buf, b)
		w.buf = append(w.buf, '"')
	}
}

// value returns a writer of encoded JSON, or of null if v is nil.
func (w *writer) value(v json.RawMessage) func() {
	if v == nil {
		return w.raw("null")
	}
	return func() { w.buf = append(w.buf, bytes.TrimSpace(v)...) }
}
