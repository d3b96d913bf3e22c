package proxy

import (
	"encoding/binary"
	"errors"
	"net/http"
	"strconv"

	"strata/proxy/internal/pool"
)

// cachedFormat is the first byte of a cached answer. A cached answer has status 200 and this form, with numbers as
// varints:
//
//	format  1
//	fields  their count, then the name and value of each, every text after its length
//	body    the rest
const cachedFormat = 1

var errNotCached = errors.New("not a cached answer of a known format")

// appendCached appends the form of an answer for the cache.
func appendCached(b []byte, a *answer) []byte {
	if b == nil {
		b = make([]byte, 0, len(a.body)+256)
	}
	b = append(b, cachedFormat)
	count := 0
	for _, values := range a.header {
		count += len(values)
	}
	b = binary.AppendUvarint(b, uint64(count))
	for name, values := range a.header {
		for _, value := range values {
			b = binary.AppendUvarint(b, uint64(len(name)))
			b = append(b, name...)
			b = binary.AppendUvarint(b, uint64(len(value)))
			b = append(b, value...)
		}
	}
	return append(b, a.body...)
}

// parseCached parses the output of appendCached. The answer's body is a part of b.
func parseCached(b []byte) (*answer, error) {
	if len(b) == 0 || b[0] != cachedFormat {
		return nil, errNotCached
	}
	count, rest, ok := cachedCount(b[1:])
	if !ok {
		return nil, errNotCached
	}
	a := &answer{status: http.StatusOK, header: http.Header{}, height: -1, lag: -1, shareable: true, cached: true}
	for range count {
		var name, value string
		if name, rest, ok = cachedText(rest); !ok {
			return nil, errNotCached
		}
		if value, rest, ok = cachedText(rest); !ok {
			return nil, errNotCached
		}
		a.header[name] = append(a.header[name], value)
	}
	a.body = rest
	return a, nil
}

// cachedCount reads a count of bytes or things in the rest of b, and refuses a count that the rest is too short for.
func cachedCount(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return 0, nil, false
	}
	return n, b[size:], true
}

func cachedText(b []byte) (s string, rest []byte, ok bool) {
	n, rest, ok := cachedCount(b)
	if !ok {
		return "", nil, false
	}
	return string(rest[:n]), rest[n:], true
}

// at sets the height of the node's tip in a cached answer to that of the pool's tip, if it was lower when the answer was
// cached: an answer about a block lasts longer than the tip that it came with, and clients take the height for the newest.
// a must not have been shown to anybody yet.
func (a *answer) at(tip pool.Tip) *answer {
	if before := a.header.Get(tipHeight); before != "" {
		if height, err := strconv.ParseInt(before, 10, 64); err != nil || height < tip.Height {
			a.header.Set(tipHeight, strconv.FormatInt(tip.Height, 10))
		}
	}
	return a
}
