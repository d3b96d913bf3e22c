package audit

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/packed"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/piece"
)

func (a *api) registerAuditBodies() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-event-body", Path: "/audit/v1/events/{seq}/body", Tag: "Audit", Summary: "Get the body of an event as it was received",
		Description: "A JSON body is served with the content type that it was received with, any other as application/octet-stream. The event has the SHA-256 of these bytes.",
		ContentType: "application/octet-stream", Statuses: []int{400, 404},
		Dependencies: engine.Dependencies{Unchanging: true, Log: true},
	}, a.getEventBody)
	// What was received as JSON may be any value, and may even be malformed.
	a.OpenAPI().Paths["/audit/v1/events/{seq}/body"].Get.Responses["200"].Content["application/json"] = &huma.MediaType{Schema: &huma.Schema{Description: "What was received as JSON."}}
}

type bodyRow struct {
	contentType  string
	size, holder int64
	head         packed.Piece
}

func (a *api) getEventBody(ctx context.Context, s *engine.Snapshot, in *eventInput) (*engine.File, error) {
	b := s.Batch()
	found := engine.Query(b, func(r *bodyRow) []any { return append([]any{&r.contentType, &r.size, &r.holder}, r.head.Columns()...) }, `
		SELECT {log.event e}, e.content_type, e.size, h.seq, `+packed.PieceSQL("h", "1", "CASE WHEN h.size <= $2 THEN $2::int ELSE $3::int END")+`
		FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq)
		WHERE e.seq = $1`, in.Seq, piece.Max, piece.Min)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, eventNotFound(in.Seq)
	}
	most := int64(piece.Max)
	if row.size > most {
		most = piece.Min
	}
	f := &engine.File{ContentType: safeContentType(row.contentType), Head: row.head.Unpack(0, most), Size: row.size}
	if at := int64(len(f.Head)); row.size > at {
		f.Rest = func(ctx context.Context, w io.Writer) error {
			return a.copyBody(ctx, row.holder, at, row.size, w)
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

// copyBody writes a stored body from an offset on. Each piece is a query of its own, so that a slow client holds neither a
// connection nor a transaction. The pieces fit together, as the log never changes.
func (a *api) copyBody(ctx context.Context, holder, offset, size int64, w io.Writer) error {
	return a.Pieces.Copy(ctx, w, offset, size, func(ctx context.Context, offset, n int64) ([]byte, error) {
		content, err := a.bodyPiece(ctx, holder, offset, n)
		if err != nil {
			a.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "a body was cut off", slog.String("id", engine.ExchangeOf(ctx).ID),
				slog.Int64("seq", holder), slog.Int64("offset", offset), slog.Any("error", err))
		}
		return content, err
	})
}

func (a *api) bodyPiece(ctx context.Context, holder, offset, n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	var found packed.Piece
	err := a.Config.Pool.QueryRow(ctx, `SELECT `+packed.PieceSQL("h", "$2", "$3")+` FROM log.event h WHERE h.seq = $1`, holder, offset+1, n).Scan(found.Columns()...)
	content := found.Unpack(offset, n)
	if err == nil && len(content) == 0 {
		err = fmt.Errorf("the body of event %d has only %d bytes", holder, offset)
	}
	return content, err
}
