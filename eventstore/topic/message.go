package topic

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
)

// Keys of a message's metadata that the log sets. In a message that was published through Publisher they stand
// beside the metadata it was published with, and win over keys of the same name.
const (
	MetadataSeq         = "seq"          // position, decimal
	MetadataPath        = "path"         // where it was posted
	MetadataSource      = "source"       // who delivered it
	MetadataContentType = "content_type" // media type it was posted with; absent when there was none
	MetadataReceivedAt  = "received_at"  // time.RFC3339Nano, UTC
	MetadataOrigin      = "origin"       // what the transport knew it by; absent when there was nothing, or when it became the uuid and metadata
)

// Seq is the position of the event that msg delivers. It returns an error for a message that is not from the log.
func Seq(msg *message.Message) (int64, error) {
	seq, err := strconv.ParseInt(msg.Metadata[MetadataSeq], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("message %s is not from the log: metadata %q is %q", msg.UUID, MetadataSeq, msg.Metadata[MetadataSeq])
	}
	return seq, nil
}

// Event is what msg delivers, as far as a projection needs it: position, path, time of receipt and body. The body is
// nil when it was not wanted. It returns an error for a message that is not from the log.
func Event(msg *message.Message) (eventstore.Event, error) {
	if event, ok := Attached[eventstore.Event](msg); ok {
		return event, nil
	}
	seq, err := Seq(msg)
	if err != nil {
		return eventstore.Event{}, err
	}
	receivedAt, err := time.Parse(time.RFC3339Nano, msg.Metadata[MetadataReceivedAt])
	if err != nil {
		return eventstore.Event{}, fmt.Errorf("message %s is not from the log: metadata %q: %w", msg.UUID, MetadataReceivedAt, err)
	}
	return eventstore.Event{
		Seq: seq, ReceivedAt: receivedAt, Source: msg.Metadata[MetadataSource], Path: msg.Metadata[MetadataPath], Size: int64(len(msg.Payload)), Body: msg.Payload,
	}, nil
}

// newMessage delivers e. Its payload is e.Body: nil when the body was not wanted.
func newMessage(e *eventstore.Event) *message.Message {
	seq := strconv.FormatInt(e.Seq, 10)
	uuid, metadata, published := openEnvelope(e)
	if !published {
		uuid, metadata = seq, make(message.Metadata, 6)
		if e.Origin != "" {
			metadata[MetadataOrigin] = e.Origin
		}
	}
	metadata[MetadataSeq] = seq
	metadata[MetadataPath] = e.Path
	metadata[MetadataSource] = e.Source
	metadata[MetadataReceivedAt] = e.ReceivedAt.UTC().Format(time.RFC3339Nano)
	if e.ContentType != "" {
		metadata[MetadataContentType] = e.ContentType
	}
	msg := message.NewMessage(uuid, e.Body)
	msg.Metadata = metadata
	return msg
}
