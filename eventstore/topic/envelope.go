package topic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"

	"strata/eventstore"
)

// Source is the source of the events that Publisher appends.
const Source = "watermill"

// envelopePrefix begins the origin of a published message; JSON follows.
const envelopePrefix = "watermill:"

// envelope holds the parts of a published message besides its payload.
type envelope struct {
	UUID     string           `json:"uuid"`
	Metadata message.Metadata `json:"metadata,omitempty"`
}

func closeEnvelope(msg *message.Message) (origin string, err error) {
	b, err := json.Marshal(envelope{UUID: msg.UUID, Metadata: msg.Metadata})
	if err != nil {
		return "", fmt.Errorf("write uuid and metadata of message %s: %w", msg.UUID, err)
	}
	return envelopePrefix + string(b), nil
}

// openEnvelope returns the UUID and the metadata, never nil, that a message was published with. It returns false for any
// other event.
func openEnvelope(e *eventstore.Event) (uuid string, metadata message.Metadata, published bool) {
	if e.Source != Source {
		return "", nil, false
	}
	text, ok := strings.CutPrefix(e.Origin, envelopePrefix)
	if !ok {
		return "", nil, false
	}
	var open envelope
	if err := json.Unmarshal([]byte(text), &open); err != nil {
		return "", nil, false // the event only claims to be from watermill
	}
	if open.Metadata == nil {
		open.Metadata = message.Metadata{}
	}
	return open.UUID, open.Metadata, true
}
