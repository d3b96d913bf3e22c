package ordinals

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"strata/readapi/internal/engine"
)

// openContent returns a reader of a long content in the log. Each piece is a query of its own, so that a slow client holds
// neither a connection nor a transaction. The pieces fit together because the log never changes.
func (a *api) openContent(ctx context.Context, row *contentRow) io.ReadSeekCloser {
	return a.Pieces.NewReader(ctx, row.size, func(ctx context.Context, offset, n int64) ([]byte, error) {
		content, err := a.contentPiece(ctx, row, offset, n)
		if err != nil && ctx.Err() == nil {
			a.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "response cut off: failed to read the content of an inscription", slog.String("id", engine.ExchangeOf(ctx).ID),
				slog.Int64("seq", row.holder), slog.Int64("offset", offset), slog.Any("error", err))
		}
		return content, err
	})
}

// contentPiece reads n bytes of a content from an offset on.
func (a *api) contentPiece(ctx context.Context, row *contentRow, offset, n int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Config.RequestTimeout)
	defer cancel()
	var digits []byte
	err := a.Config.Pool.QueryRow(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`,
		row.holder, row.at+2*offset+1, 2*n).Scan(&digits)
	if err != nil {
		return nil, fmt.Errorf("read event %d: %w", row.holder, err)
	}
	return row.decode(digits, n)
}
