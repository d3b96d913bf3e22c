package eventstore

import (
	"crypto/sha256"
	"time"
)

// Event is one row of the log.
type Event struct {
	// Seq is the position: 1, 2, 3, … without gaps.
	Seq int64
	// ReceivedAt is when it was received, in microseconds. Information, never an order.
	ReceivedAt time.Time
	// Source says who delivered it: "observer:<host>", "archive:<name>".
	Source string
	// Path is where it was posted, such as "/new_block".
	Path string
	// ContentType is the media type that it was posted with; empty when there was none.
	ContentType string
	// Origin is what the transport knew it by: for an archive its first two columns, for a watermill message its
	// uuid and metadata. Empty when there was nothing.
	Origin string
	// Size of the body in bytes.
	Size int64
	// SHA256 of the body.
	SHA256 [sha256.Size]byte
	// BodySeq is the earlier event that holds these very bytes, or 0 when this one holds them itself.
	BodySeq int64
	// Body is the body as received. Nil when the read was told not to fetch it.
	Body []byte
}

// Incoming is an event that has not got a position yet.
type Incoming struct {
	ReceivedAt  time.Time
	Source      string
	Path        string
	ContentType string
	Origin      string
	Body        *Body
}
