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

// writer writes JSON as serde_json does: compact, and only those characters escaped that must be.
type writer struct {
	buf    []byte
	sorted bool
}

// member of an object. One without a value is left out.
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

// array writes so many elements.
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

// maybe is a text, or null for none.
func (w *writer) maybe(s string, empty bool) func() {
	if s == "" && !empty {
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

// hex writes bytes, with 0x or without.
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

// value writes JSON that is there already; null for none.
func (w *writer) value(v json.RawMessage) func() {
	if v == nil {
		return w.raw("null")
	}
	return func() { w.buf = append(w.buf, bytes.TrimSpace(v)...) }
}
