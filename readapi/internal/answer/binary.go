package answer

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// The binary form, integers in big endian, lengths and counts as unsigned varints:
//
//	"ans" and the version, 4 bytes
//	XXH64 of all that follows, 8 bytes
//	status 2, class 1, tag 16, height at which it settles 8
//	content type, a string
//	fields: count; for each a name and its values: count, strings
//	body, then the gzip form, then the zstd form, then the brotli form: each a string, empty for a form that there isn't,
//	or that nobody has asked for
//
// A string is its length and its bytes. The checksum is against damage and mistakes, not against malice: whoever may
// write to the cache may write anything.
const (
	magic      = "ans\x04"
	sumEnd     = len(magic) + 8 // where that begins which the checksum covers
	numbersEnd = sumEnd + 2 + 1 + len(Tag{}) + 8
)

// AppendBinary appends the answer in its binary form, which Parse reads. It panics for a body that is not
// held in memory as a whole.
func (a *Answer) AppendBinary(b []byte) []byte {
	if a.rest != nil || a.open != nil {
		panic("answer: a body that is not held in memory has no binary form")
	}
	b = slices.Grow(b, a.Weight())
	b = append(b, magic...)
	sum := len(b)
	b = binary.BigEndian.AppendUint64(b, 0) // known at the end
	b = binary.BigEndian.AppendUint16(b, uint16(a.status))
	b = append(b, byte(a.class))
	b = append(b, a.tag[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(a.settlesAt))
	b = appendString(b, a.contentType[0])
	b = binary.AppendUvarint(b, uint64(len(a.fields)))
	for _, f := range a.fields {
		b = appendString(b, f.Name)
		b = binary.AppendUvarint(b, uint64(len(f.Values)))
		for _, v := range f.Values {
			b = appendString(b, v)
		}
	}
	b = appendString(b, a.plain.body)
	for _, c := range [...]coding{gzipCoding, zstdCoding, brotliCoding} {
		var body []byte // whoever parses it makes it, too
		if made := a.compressed[c].made.Load(); made != nil && a.Cacheable() {
			body = made.body
		}
		b = appendString(b, body)
	}
	binary.BigEndian.PutUint64(b[sum:], xxhash.Sum64(b[sum+8:]))
	return b
}

func appendString[S string | []byte](b []byte, s S) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
