package projections

import "context"

// BinaryCopier is a transaction that several folds share. It takes rows that are encoded already, and sends them while the fold
// that has made them goes on: an error shows at its next question, or at its end.
type BinaryCopier interface {
	// CopyBinary executes a COPY … FROM STDIN (FORMAT binary) of rows, which the caller must not change afterwards.
	CopyBinary(ctx context.Context, sql string, rows []byte) error
}
