package proxy

import (
	"encoding/binary"
	"errors"
	"net/http"

	"strata/proxy/internal/wire"
)

// An answer in the cache is of status 200 and has this form, all numbers as varints:
//
//	format  1
//	fields  how many, then for each its name and value, each after its length
//	body    the rest
const keptFormat = 1

var errKept = errors.New("not an answer that was kept")

// appendKept appends the form that an answer has in the cache.
func appendKept(b []byte, a *answer) []byte {
	if b == nil {
		b = make([]byte, 0, len(a.body)+256)
	}
	b = append(b, keptFormat)
	b = binary.AppendUvarint(b, uint64(len(a.fields)))
	for _, f := range a.fields {
		b = binary.AppendUvarint(b, uint64(len(f.Name)))
		b = append(b, f.Name...)
		b = binary.AppendUvarint(b, uint64(len(f.Value)))
		b = append(b, f.Value...)
	}
	return append(b, a.body...)
}

// parseKept reads what appendKept wrote. The body stays in b.
func parseKept(b []byte) (*answer, error) {
	if len(b) == 0 || b[0] != keptFormat {
		return nil, errKept
	}
	count, rest, ok := keptNumber(b[1:])
	if !ok {
		return nil, errKept
	}
	a := &answer{status: http.StatusOK, height: -1, lag: -1, shareable: true, kept: true}
	a.fields = a.few[:]
	if count > uint64(len(a.few)) {
		a.fields = make([]wire.Field, count)
	}
	a.fields = a.fields[:count]
	for i := range a.fields {
		if a.fields[i].Name, rest, ok = keptText(rest); !ok {
			return nil, errKept
		}
		if a.fields[i].Value, rest, ok = keptText(rest); !ok {
			return nil, errKept
		}
	}
	a.body = rest
	return a, nil
}

// keptNumber reads a number that counts things in the rest, so that it can't be larger than that.
func keptNumber(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return 0, nil, false
	}
	return n, b[size:], true
}

func keptText(b []byte) (s string, rest []byte, ok bool) {
	n, rest, ok := keptNumber(b)
	if !ok {
		return "", nil, false
	}
	switch text := rest[:n]; string(text) { // what nearly all answers have needs no memory
	case wire.ContentType:
		return wire.ContentType, rest[n:], true
	case wire.TipHeight:
		return wire.TipHeight, rest[n:], true
	case "application/json":
		return "application/json", rest[n:], true
	default:
		return string(text), rest[n:], true
	}
}
