package ordinals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

// contentPiece is the maximum number of bytes of a long content that are in memory at once.
const contentPiece = answer.MaxBody

// contentReader reads a long content from the log in pieces. It queries each piece separately, so that a slow client
// holds neither a connection nor a transaction. The pieces fit together because the log never changes.
type contentReader struct {
	a       *api
	ctx     context.Context // context of the request
	row     contentRow
	at      int64 // offset of the next byte
	piece   []byte
	pieceAt int64 // offset of the piece in the content
}

// Read implements io.Reader.
func (c *contentReader) Read(p []byte) (int, error) {
	if c.at >= c.row.size {
		return 0, io.EOF
	}
	if c.at < c.pieceAt || c.at >= c.pieceAt+int64(len(c.piece)) {
		if err := c.load(); err != nil {
			c.a.Config.Logger.LogAttrs(c.ctx, slog.LevelWarn, "response cut off: failed to read the content of an inscription", slog.String("id", engine.ExchangeOf(c.ctx).ID),
				slog.Int64("seq", c.row.holder), slog.Int64("offset", c.at), slog.Any("error", err))
			return 0, err
		}
	}
	n := copy(p, c.piece[c.at-c.pieceAt:])
	c.at += int64(n)
	return n, nil
}

// load reads the piece that begins at the next byte.
func (c *contentReader) load() error {
	ctx, cancel := context.WithTimeout(c.ctx, c.a.Config.RequestTimeout)
	defer cancel()
	n := min(contentPiece, c.row.size-c.at)
	var digits []byte
	err := c.a.Config.Pool.QueryRow(ctx, `SELECT substring(body FROM $2 FOR $3) FROM log.event WHERE seq = $1`,
		c.row.holder, c.row.at+2*c.at+1, 2*n).Scan(&digits)
	if err != nil {
		return fmt.Errorf("read event %d: %w", c.row.holder, err)
	}
	c.piece, err = c.row.decode(digits, n)
	c.pieceAt = c.at
	return err
}

var errSeek = errors.New("seek before the beginning of a content")

// Seek implements io.Seeker.
func (c *contentReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.row.size
	}
	if offset < 0 {
		return 0, errSeek
	}
	c.at = offset
	return offset, nil
}
