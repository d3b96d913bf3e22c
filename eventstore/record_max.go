package eventstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
)

// RecordMax is the length of the longest leaf record. A transparency log gives the length of an entry two bytes
// (https://c2sp.org/tlog-tiles), so that a longer one could be proven, and never be read there.
const RecordMax = math.MaxUint16

// ErrRecordTooLong is returned by Append and AppendBatch for an event whose source, path, content type and origin are
// together so long that its leaf record would exceed RecordMax. Nothing is shortened: sending it again fails again.
var ErrRecordTooLong = errors.New("source, path, content type and origin are too long together")

// recordBytes are those of a leaf record with empty texts.
const recordBytes = 1 + 3*8 + sha256.Size + 4*4

// CheckTexts returns ErrRecordTooLong when the texts of an event are too long for the log. It does not look at the body.
func (in *Incoming) CheckTexts() error {
	texts := [...]string{in.Source, in.Path, in.ContentType, in.Origin}
	size := recordBytes
	for _, text := range texts {
		size += len(text)
	}
	const most = 3 // times as long is what is stored of a text
	if size*most <= RecordMax {
		return nil
	}
	size = recordBytes
	for _, text := range texts {
		size += len(StorableText(text))
	}
	if size <= RecordMax {
		return nil
	}
	return fmt.Errorf("%w: a record of %d bytes, want at most %d", ErrRecordTooLong, size, RecordMax)
}
