package readapi

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"strata/readapi/internal/answer"
)

type eventInput struct {
	Seq int64 `path:"seq" minimum:"1" doc:"Position in the log."`
}

// auditEvent is an event of the log without its body: what the Merkle tree's leaf is made of, and where the body is.
type auditEvent struct {
	Seq         int64   `json:"seq"`
	Path        string  `json:"path" doc:"The path it was posted to."`
	Source      string  `json:"source" doc:"Who delivered it."`
	ContentType string  `json:"content_type"`
	ReceivedAt  string  `json:"received_at" format:"date-time" doc:"UTC, with microseconds."`
	Size        int64   `json:"size" doc:"Bytes of the body."`
	SHA256      string  `json:"sha256" pattern:"^0x[0-9a-f]{64}$" doc:"Of the body as received."`
	BodySeq     *int64  `json:"body_seq" doc:"The earlier event whose body has the same bytes, and is stored instead."`
	Origin      *string `json:"origin" doc:"What the transport knew it by."`
	Body        string  `json:"body" format:"uri-reference" doc:"Where the body is."`
}

func (a *API) registerAuditEvents() {
	get(a.Engine, resource{
		id: "get-event", path: "/audit/v1/events/{seq}", tag: "Audit", summary: "An event of the log",
		about: "The events behind an answer are in its header Strata-Source.", statuses: []int{400, 404},
		class: answer.Immutable, of: dependencies{unchanging: true, log: true},
	}, getEvent)
}

func getEvent(ctx context.Context, s *snapshot, in *eventInput) (*auditEvent, error) {
	b := s.batch()
	found := query(b, func(e *auditEventRow) []any {
		return []any{&e.Seq, &e.Path, &e.Source, &e.ContentType, &e.receivedAt, &e.Size, &e.digest, &e.BodySeq, &e.Origin}
	}, `
		SELECT ARRAY[seq], seq, path, source, content_type, received_at, size, sha256, body_seq, origin
		FROM log.event WHERE seq = $1`, in.Seq)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.first()
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

func eventNotFound(seq int64) error { return notFound("no event %d in the log", seq) }
