package eventstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
)

// RecordMax is the maximum length of a leaf record in bytes. A transparency log stores the length of an entry in two
// bytes (https://c2sp.org/tlog-tiles), so a longer record could be proven but never be read there.
const RecordMax = math.MaxUint16

// ErrRecordTooLong is the error of Append and AppendBatch for an event whose source, path, content type and origin are
// so long that its leaf record would exceed RecordMax. The log shortens nothing, so to send it again fails again.
var ErrRecordTooLong = errors.New("source, path, content type and origin are too long together")

// emptyRecordBytes is the length of a leaf record whose texts are empty.
const emptyRecordBytes = 1 + 3*8 + sha256.Size + 4*4

// CheckTexts returns ErrRecordTooLong if the texts of an event are too long for the log. It ignores the body.
func (in *Incoming) CheckTexts() error {
	texts := [...]string{in.Source, in.Path, in.ContentType, in.Origin}
	size := emptyRecordBytes
	for _, text := range texts {
		size += len(text)
	}
	const growthMax = 3 // StorableText turns one byte into at most three
	if size*growthMax <= RecordMax {
		return nil
	}
	size = emptyRecordBytes
	for _, text := range texts {
		size += len(StorableText(text))
	}
	if size <= RecordMax {
		return nil
	}
	return fmt.Errorf("%w: a record of %d bytes, want at most %d", ErrRecordTooLong, size, RecordMax)
}
