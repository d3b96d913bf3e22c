package audit

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"strata/readapi/internal/engine"
)

type eventInput struct {
	Seq int64 `path:"seq" minimum:"1" doc:"Position in the log."`
}

// auditEvent is an event of the log without its body: the content of its leaf in the Merkle tree, and a link to the
// body.
type auditEvent struct {
	Seq         int64   `json:"seq"`
	Path        string  `json:"path" doc:"The path to which it was posted."`
	Source      string  `json:"source" doc:"The sender that delivered it."`
	ContentType string  `json:"content_type"`
	ReceivedAt  string  `json:"received_at" format:"date-time" doc:"UTC, with microseconds."`
	Size        int64   `json:"size" doc:"Length of the body in bytes."`
	SHA256      string  `json:"sha256" pattern:"^0x[0-9a-f]{64}$" doc:"Digest of the body as received."`
	BodySeq     *int64  `json:"body_seq" doc:"The earlier event with the same body, which is stored once."`
	Origin      *string `json:"origin" doc:"The identifier of the event in the transport that it came through."`
	Body        string  `json:"body" format:"uri-reference" doc:"Link to the body."`
}

func (a *api) registerAuditEvents() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-event", Path: "/audit/v1/events/{seq}", Tag: "Audit", Summary: "Get an event of the log",
		Description: "The header Strata-Source of an answer lists the events behind it.", Statuses: []int{400, 404},
		Dependencies: engine.Dependencies{Unchanging: true, Log: true},
	}, getEvent)
}

func getEvent(ctx context.Context, s *engine.Snapshot, in *eventInput) (*auditEvent, error) {
	b := s.Batch()
	found := engine.Query(b, func(e *auditEventRow) []any {
		return []any{&e.Seq, &e.Path, &e.Source, &e.ContentType, &e.receivedAt, &e.Size, &e.digest, &e.BodySeq, &e.Origin}
	}, `
		SELECT {log.event e}, e.seq, e.path, e.source, e.content_type, e.received_at, e.size, e.sha256, e.body_seq, e.origin
		FROM log.event e WHERE e.seq = $1`, in.Seq)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, eventNotFound(in.Seq)
	}
	return row.shape(), nil
}

type auditEventRow struct {
	auditEvent
	receivedAt time.Time
	digest     []byte
}

func (r auditEventRow) shape() *auditEvent {
	e := r.auditEvent
	e.ReceivedAt = r.receivedAt.UTC().Format("2006-01-02T15:04:05.000000Z")
	e.SHA256 = "0x" + hex.EncodeToString(r.digest)
	e.Body = fmt.Sprintf("/audit/v1/events/%d/body", e.Seq)
	return &e
}

func eventNotFound(seq int64) error { return engine.NotFound("no event %d in the log", seq) }

// tracedEvent traces an event to itself, and to the earlier one with the same body. Strata-Source, which names a table's own
// columns only, leaves that out: the body would be the same without it.
var tracedEvent = &engine.TraceTable{
	Name: "log.event", Key: "seq", Values: "path source content_type size sha256:hex body_seq",
	Sources: []engine.TraceSource{{Column: "seq", Pointers: engine.WholeEvent}, {Column: "body_seq", SQL: "t.body_seq", Pointers: engine.WholeEvent}},
}
