package archive

import (
	"bytes"
	"time"
)

// Record is one line of an archive.
type Record struct {
	// ID is column 1. Archives may repeat ids and have gaps; this package does not check.
	ID int64
	// IDText is the unescaped text of column 1. A writer uses it instead of ID if it has the value of ID, so that "007"
	// stays "007".
	IDText string
	// HasID is false when column 1 is NULL (Copy) or empty (Raw).
	HasID bool

	// ReceivedAt is column 2, in UTC, truncated to microseconds.
	ReceivedAt time.Time
	// TimeText is the text of column 2. A writer uses it instead of ReceivedAt if it has the value of ReceivedAt. Clear it
	// to convert between dialects: a reader may detect the dialect by the shape of the timestamp.
	TimeText string

	// Path is column 3, with its leading slash.
	Path string
	// Payload is column 4, unescaped: the body byte for byte. The next call of Next overwrites it; Clone copies it.
	Payload []byte

	// Line is the number of the line, from 1. Offset is the offset of its first byte in the decompressed stream, and End
	// that of the first byte after its line feed. A writer ignores all three.
	Line, Offset, End int64
}

// Clone returns the record with a copy of the payload.
func (r Record) Clone() Record {
	r.Payload = bytes.Clone(r.Payload)
	return r
}
