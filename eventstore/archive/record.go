package archive

import (
	"bytes"
	"time"
)

// Record is one line of an archive.
type Record struct {
	// ID is column 1. Archives may repeat an id and leave gaps; nothing here checks either.
	ID int64
	// IDText is column 1 as it stood in the file, escapes undone. A writer uses it instead of ID as long as it
	// still denotes ID, so that "007" comes back as "007".
	IDText string
	// HasID is false when column 1 is NULL (Copy) or empty (Raw).
	HasID bool

	// ReceivedAt is column 2, in UTC, cut to microseconds.
	ReceivedAt time.Time
	// TimeText is column 2 as it stood in the file. A writer uses it instead of ReceivedAt as long as it still
	// denotes ReceivedAt. Clear it when converting between dialects: the shape of the timestamp is what a dialect is
	// recognised by where the content leaves it open.
	TimeText string

	// Path is column 3, with its leading slash.
	Path string
	// Payload is column 4 with escapes undone: the body byte for byte. It belongs to the reader and is overwritten by
	// the next call of Next; Clone keeps it.
	Payload []byte

	// Line is the number of the line, from 1. Offset is the position of its first byte in the decompressed stream
	// and End that of the first byte after its line feed. A writer ignores all three.
	Line, Offset, End int64
}

// Clone returns the record with a payload of its own.
func (r Record) Clone() Record {
	r.Payload = bytes.Clone(r.Payload)
	return r
}
