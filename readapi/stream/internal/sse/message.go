// Package sse encodes server-sent events.
package sse

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
)

// Message encodes an event of a stream. Only the last event of a step is sent with an id, so that a client that
// leaves within a step gets the whole step again.
func Message(step int64, p live.Position, name string, value any) (*live.Message, error) {
	body, err := engine.Encode(value)
	if err != nil {
		return nil, err
	}
	id := IDLine(p)
	b := make([]byte, 0, len(id)+len(name)+len(body)+len("event: \ndata: \n\n"))
	b = append(b, id...)
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: "...)
	b = append(b, body...) // JSON has no line breaks
	b = append(b, "\n\n"...)
	return &live.Message{Step: step, Position: p, Data: b[len(id):], Whole: b}, nil
}

// IDLine returns the line that sets the client's last event id to a position.
func IDLine(p live.Position) string { return "id: " + p.String() + "\n" }
