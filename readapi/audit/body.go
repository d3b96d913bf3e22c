package audit

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// bodyChunk is the number of bytes of a body that are in memory at once. For each chunk Postgres decompresses the body
// from its start, so smaller chunks would make large bodies slow.
const bodyChunk = 16 << 20

func (a *api) registerAuditBodies() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-event-body", Path: "/audit/v1/events/{seq}/body", Tag: "Audit", Summary: "Get the body of an event as it was received",
		Description: "A JSON body is served with the content type that it was received with, any other as application/octet-stream. The event has the SHA-256 of these bytes.",
		ContentType: "application/octet-stream", Statuses: []int{400, 404},
		Class: answer.Immutable, DependsOn: engine.Dependencies{Unchanging: true, Log: true},
	}, a.getEventBody)
}

type bodyRow struct {
	contentType  string
	size, holder int64
	head         []byte
}

func (a *api) getEventBody(ctx context.Context, s *engine.Snapshot, in *eventInput) (*engine.File, error) {
	s.Shows(func() []engine.Lookup { return eventLookups(in.Seq) })
	b := s.Batch()
	found := engine.Query(b, func(r *bodyRow) []any { return []any{&r.contentType, &r.size, &r.holder, &r.head} }, `
		SELECT ARRAY[e.seq], e.content_type, e.size, h.seq, substring(h.body FROM 1 FOR $2)
		FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)
		WHERE e.seq = $1`, in.Seq, bodyChunk)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, eventNotFound(in.Seq)
	}
	f := &engine.File{ContentType: safeContentType(row.contentType), Head: row.head, Size: row.size}
	if row.size > int64(len(row.head)) {
		f.Rest = func(ctx context.Context, w io.Writer) error {
			return a.copyBody(ctx, row.holder, int64(len(row.head)), row.size, w)
		}
	}
	return f, nil
}

// safeContentType returns the given type if it is JSON, and otherwise one that no browser runs.
func safeContentType(given string) string {
	if media, _, err := mime.ParseMediaType(given); err == nil && media == "application/json" {
		return given
	}
	return "application/octet-stream"
}

// copyBody writes a stored body from an offset on. Each chunk is a query of its own, so that a slow client holds
// neither a connection nor a transaction. The chunks fit together, as the log never changes.
func (a *api) copyBody(ctx context.Context, holder, offset, size int64, w io.Writer) error {
	for offset < size {
		chunk, err := a.bodyChunk(ctx, holder, offset)
		if err != nil {
			a.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "a body was cut off", slog.String("id", engine.ExchangeOf(ctx).ID),
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

func (a *api) bodyChunk(ctx context.Context, holder, offset int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	var chunk []byte
	err := a.Config.Pool.QueryRow(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`, holder, offset+1, bodyChunk).Scan(&chunk)
	if err == nil && len(chunk) == 0 {
		err = fmt.Errorf("the body of event %d has only %d bytes", holder, offset)
	}
	return chunk, err
}
