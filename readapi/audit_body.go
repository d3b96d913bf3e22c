package readapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"

	"strata/readapi/internal/answer"
)

// bodyChunk is how much of a body is in memory at once. Postgres decompresses a body from its start for each chunk, so
// that smaller ones would make large bodies slow.
const bodyChunk = 16 << 20

// file is an answer that is bytes, not JSON.
type file struct {
	contentType string
	head        []byte
	rest        func(ctx context.Context, w io.Writer) error
	open        func(ctx context.Context) io.ReadSeeker // instead of head and rest
	size        int64
	content     answer.Tag // that entity tags are made of; zero for none of its own
	fields      []answer.Field
}

func (f *file) describe(c *answer.Config) {
	c.ContentType, c.Body, c.Rest, c.Open, c.Size, c.Content = f.contentType, f.head, f.rest, f.open, f.size, f.content
	c.Fields = append(c.Fields, f.fields...)
	c.Fields = append(c.Fields, answer.Field{Name: "X-Content-Type-Options", Values: []string{"nosniff"}})
}

func (a *API) registerAuditBodies() {
	get(a.Engine, resource{
		id: "get-event-body", path: "/audit/v1/events/{seq}/body", tag: "Audit", summary: "The bytes of an event as they were received",
		about:       "JSON has the content type it came with, anything else is served as application/octet-stream. The SHA-256 of these bytes is in the event.",
		contentType: "application/octet-stream", statuses: []int{400, 404},
		class: answer.Immutable, of: dependencies{unchanging: true, log: true},
	}, a.getEventBody)
}

type bodyRow struct {
	contentType  string
	size, holder int64
	head         []byte
}

func (a *API) getEventBody(ctx context.Context, s *snapshot, in *eventInput) (*file, error) {
	b := s.batch()
	found := query(b, func(r *bodyRow) []any { return []any{&r.contentType, &r.size, &r.holder, &r.head} }, `
		SELECT ARRAY[e.seq], e.content_type, e.size, h.seq, substring(h.body FROM 1 FOR $2)
		FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)
		WHERE e.seq = $1`, in.Seq, bodyChunk)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.first()
	if !ok {
		return nil, eventNotFound(in.Seq)
	}
	f := &file{contentType: safeContentType(row.contentType), head: row.head, size: row.size}
	if row.size > int64(len(row.head)) {
		f.rest = func(ctx context.Context, w io.Writer) error {
			return a.copyBody(ctx, row.holder, int64(len(row.head)), row.size, w)
		}
	}
	return f, nil
}

// safeContentType is the given type if it is JSON: nothing that a browser would run.
func safeContentType(given string) string {
	if media, _, err := mime.ParseMediaType(given); err == nil && media == "application/json" {
		return given
	}
	return "application/octet-stream"
}

// copyBody streams a stored body from an offset. Each chunk is a query of its own, so that a slow client holds neither
// a connection nor a transaction; the log does not change.
func (a *API) copyBody(ctx context.Context, holder, offset, size int64, w io.Writer) error {
	for offset < size {
		chunk, err := a.bodyChunk(ctx, holder, offset)
		if err != nil {
			a.config.Logger.LogAttrs(ctx, slog.LevelWarn, "a body was cut off", slog.String("id", exchangeOf(ctx).id),
				slog.Int64("seq", holder), slog.Int64("offset", offset), slog.Any("error", err))
			return err
		}
		if _, err := w.Write(chunk); err != nil {
			return err
		}
		offset += int64(len(chunk))
	}
	return nil
}

func (a *API) bodyChunk(ctx context.Context, holder, offset int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	defer cancel()
	var chunk []byte
	err := a.config.Pool.QueryRow(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`, holder, offset+1, bodyChunk).Scan(&chunk)
	if err == nil && len(chunk) == 0 {
		err = fmt.Errorf("event %d has only %d bytes", holder, offset)
	}
	return chunk, err
}
