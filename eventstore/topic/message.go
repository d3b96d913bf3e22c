package topic

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
)

// Keys of a message's metadata that the log sets. For a message from Publisher they are added to its own metadata, and
// replace keys of the same name.
const (
	MetadataSeq         = "seq"          // Event.Seq, decimal
	MetadataPath        = "path"         // Event.Path
	MetadataSource      = "source"       // Event.Source
	MetadataContentType = "content_type" // Event.ContentType; absent if empty
	MetadataReceivedAt  = "received_at"  // Event.ReceivedAt as time.RFC3339Nano, UTC
	MetadataOrigin      = "origin"       // Event.Origin; absent if empty, and for messages from Publisher
)

// Seq returns the position of the event that msg delivers. It returns an error for a message that is not from the log.
func Seq(msg *message.Message) (int64, error) {
	seq, err := strconv.ParseInt(msg.Metadata[MetadataSeq], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("message %s is not from the log: metadata %q is %q", msg.UUID, MetadataSeq, msg.Metadata[MetadataSeq])
	}
	return seq, nil
}

// Event returns the event that msg delivers, with the fields that a projection needs: Seq, ReceivedAt, Source, Path, Size
// and Body. The body is nil if the subscription did not fetch it. It returns an error for a message that is not from the
// log.
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

// NewMessage returns the message that delivers e. Its payload is e.Body: nil if the body was not fetched.
func NewMessage(e *eventstore.Event) *message.Message {
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
