package importer

import (
	"crypto/sha256"

	"strata/eventstore"
	"strata/eventstore/archive"
)

const (
	// batchBytes and batchEvents are the maxima for one transaction.
	batchBytes  = 8 << 20
	batchEvents = 4096
	// lineBytesMax is the maximum length of a line: what one value of Postgres can hold, less some room for the rest of
	// the row.
	lineBytesMax = 1<<30 - 1<<20
)

// batch holds the events that one transaction appends. The reader fills it, and the writer releases it.
type batch struct {
	arena  []byte // the payloads
	events []eventstore.Incoming
	most   int // maximum number of events

	// The progress within the file after the batch.
	lines   int64
	bytes   int64
	prefix  [sha256.Size]byte
	dialect archive.Dialect
}

func newBatch(most int) *batch {
	return &batch{arena: make([]byte, 0, batchBytes), events: make([]eventstore.Incoming, 0, most), most: most}
}

// fits reports whether the batch has room for a payload.
func (b *batch) fits(payload []byte) bool {
	return len(b.events) < b.most && len(b.arena)+len(payload) <= cap(b.arena)
}

// add copies a record, which must fit.
func (b *batch) add(source string, rec archive.Record) {
	from := len(b.arena)
	b.arena = append(b.arena, rec.Payload...)
	b.events = append(b.events, incoming(source, rec, b.arena[from:len(b.arena):len(b.arena)]))
}

func (b *batch) reset() {
	clear(b.events)
	b.arena, b.events = b.arena[:0], b.events[:0]
}

// payloadBytes returns the total size of the bodies.
func (b *batch) payloadBytes() (n int64) {
	for i := range b.events {
		n += b.events[i].Body.Size()
	}
	return n
}

func incoming(source string, rec archive.Record, payload []byte) eventstore.Incoming {
	return eventstore.Incoming{
		ReceivedAt:  rec.ReceivedAt,
		Source:      source,
		Path:        rec.Path,
		ContentType: contentType,
		Origin:      origin{id: rec.IDText, time: rec.TimeText}.String(),
		Body:        eventstore.NewBody(payload),
	}
}

// contentType is the content type of every imported event, because an archive has no column for it.
const contentType = "application/json"
