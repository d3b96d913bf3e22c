package fanout

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"strata/eventstore"
)

// EventHeader is the header of a message that has everything of an event but its body, as JSON.
const EventHeader = "Strata-Event"

// header is the value of EventHeader.
type header struct {
	Seq         int64     `json:"seq"`
	Archive     string    `json:"archive"` // the identity of the log
	ReceivedAt  time.Time `json:"received_at"`
	Source      string    `json:"source"`
	Path        string    `json:"path"`
	ContentType string    `json:"content_type,omitempty"`
	Origin      string    `json:"origin,omitempty"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	Omitted     bool      `json:"omitted,omitempty"` // the body is too large for a message
}

// messageID is the id of an event's message.
func messageID(seq int64) string { return strconv.FormatInt(seq, 10) }

// newMessage returns the message of an event. A body that is larger than limit is left out.
func newMessage(subject, archive string, e *eventstore.Event, limit int) (*nats.Msg, error) {
	h := header{
		Seq: e.Seq, Archive: archive, ReceivedAt: e.ReceivedAt, Source: e.Source, Path: e.Path, ContentType: e.ContentType,
		Origin: e.Origin, Size: e.Size, SHA256: hex.EncodeToString(e.SHA256[:]), Omitted: e.Size > int64(limit),
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("describe event %d: %w", e.Seq, err)
	}
	msg := nats.NewMsg(subject)
	msg.Header.Set(EventHeader, string(text))
	if !h.Omitted {
		msg.Data = e.Body
	}
	return msg, nil
}

// parse returns the position of a message's event, and the identity of its log.
func parse(headers nats.Header) (seq int64, archive string, err error) {
	var h header
	if err := json.Unmarshal([]byte(headers.Get(EventHeader)), &h); err != nil {
		return 0, "", fmt.Errorf("a message has no event in its header %s: %w", EventHeader, err)
	}
	return h.Seq, h.Archive, nil
}
