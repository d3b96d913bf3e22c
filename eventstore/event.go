package eventstore

import (
	"crypto/sha256"
	"time"
)

// Event is one row of the log.
type Event struct {
	// Seq is the position: 1, 2, 3, … without gaps.
	Seq int64
	// ReceivedAt is the time of receipt, to the microsecond. It is information only: Seq alone orders events.
	ReceivedAt time.Time
	// Source names the sender: "observer:<host>", "archive:<name>".
	Source string
	// Path is the path that the event was posted to, such as "/new_block".
	Path string
	// ContentType is the media type that the sender declared; empty if it declared none.
	ContentType string
	// Origin identifies the event in its transport: the first two columns of an archive's line. Empty if the transport has
	// no such thing.
	Origin string
	// Size is the length of the body in bytes.
	Size int64
	// SHA256 is the digest of the body.
	SHA256 [sha256.Size]byte
	// BodySeq is the position of the earlier event that holds the same bytes, or 0 if this event holds them itself.
	BodySeq int64
	// Body is the body as received. Nil if the read did not fetch it.
	Body []byte
}

// Incoming is an event that has no position yet.
type Incoming struct {
	ReceivedAt  time.Time
	Source      string
	Path        string
	ContentType string
	Origin      string
	Body        *Body
}
