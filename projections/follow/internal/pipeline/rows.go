package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows are the rows of a result that has arrived whole.
type rows struct {
	tx      *laneTx
	result  result
	err     error
	current int // 1 on the first row
	closed  bool
}

var _ pgx.Rows = (*rows)(nil)

func (r *rows) Close() { r.closed = true }

func (r *rows) Err() error { return r.err }

func (r *rows) CommandTag() pgconn.CommandTag { return r.result.tag }

func (r *rows) FieldDescriptions() []pgconn.FieldDescription { return r.result.fields }

func (r *rows) Conn() *pgx.Conn { return r.tx.lane.pipeline.conn }

func (r *rows) TypeMap() *pgtype.Map { return r.tx.lane.pipeline.prepared.scanning }

func (r *rows) Next() bool {
	if r.closed || r.err != nil || r.current >= len(r.result.rows) {
		r.closed = true
		return false
	}
	r.current++
	return true
}

func (r *rows) RawValues() [][]byte { return r.result.rows[r.current-1] }

func (r *rows) Scan(dest ...any) error {
	if len(dest) == 1 {
		if s, ok := dest[0].(pgx.RowScanner); ok {
			return r.failed(s.ScanRow(r))
		}
	}
	return r.failed(pgx.ScanRow(r.TypeMap(), r.result.fields, r.RawValues(), dest...))
}

// failed notes an error, as Err must return it afterwards.
func (r *rows) failed(err error) error {
	if err != nil {
		r.err, r.closed = err, true
	}
	return err
}

func (r *rows) Values() ([]any, error) {
	raw := r.RawValues()
	values := make([]any, len(raw))
	for i, field := range r.result.fields {
		if raw[i] == nil {
			continue
		}
		t, ok := r.TypeMap().TypeForOID(field.DataTypeOID)
		if !ok {
			return nil, r.failed(fmt.Errorf("column %s: unknown type %d", field.Name, field.DataTypeOID))
		}
		var err error
		if values[i], err = t.Codec.DecodeValue(r.TypeMap(), field.DataTypeOID, field.Format, raw[i]); err != nil {
			return nil, r.failed(err)
		}
	}
	return values, nil
}

// row is the first row of a result.
type row struct{ rows *rows }

func (r row) Scan(dest ...any) error {
	defer r.rows.Close()
	if r.rows.err != nil {
		return r.rows.err
	}
	if !r.rows.Next() {
		return pgx.ErrNoRows
	}
	return r.rows.Scan(dest...)
}

// batchResults are the results of the statements that a lane has sent as a batch.
type batchResults struct {
	tx       *laneTx
	batch    *pgx.Batch
	requests []*request
	next     int
	sent     bool
	closed   bool
	err      error
}

var (
	_ pgx.BatchResults = (*batchResults)(nil)

	errNoResult = errors.New("the batch has no further result")
)

// take returns the next request with its result.
func (b *batchResults) take() *request {
	if !b.sent && len(b.requests) > 0 {
		b.tx.lane.wait()
	}
	b.sent = true
	if b.closed || b.next >= len(b.requests) {
		return &request{err: errNoResult}
	}
	b.next++
	r := b.requests[b.next-1]
	if r.err != nil && b.err == nil {
		b.err = r.err
	}
	return r
}

func (b *batchResults) Exec() (pgconn.CommandTag, error) {
	r := b.take()
	return r.result.tag, r.err
}

func (b *batchResults) Query() (pgx.Rows, error) {
	r := b.take()
	return b.tx.rows(r), r.err
}

func (b *batchResults) QueryRow() pgx.Row { return row{b.tx.rows(b.take())} }

// Close does not wait for statements whose results nobody asks for.
func (b *batchResults) Close() error {
	if !b.sent && !slices.ContainsFunc(b.batch.QueuedQueries, func(q *pgx.QueuedQuery) bool { return q.Fn != nil }) {
		b.closed = true
	}
	for !b.closed && b.err == nil && b.next < len(b.requests) {
		if then := b.batch.QueuedQueries[b.next].Fn; then != nil {
			if err := then(b); err != nil && b.err == nil {
				b.err = err
			}
		} else {
			b.take()
		}
	}
	b.closed = true
	return b.err
}

func (b *batchResults) Tx() pgx.Tx { return nil }
