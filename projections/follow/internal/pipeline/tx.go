package pipeline

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/projections"
)

// laneTx is the transaction as a fold sees it.
type laneTx struct{ lane *lane }

var (
	_ pgx.Tx                   = (*laneTx)(nil)
	_ projections.BinaryCopier = (*laneTx)(nil)
)

var errForeign = errors.New("a fold can't begin or end the transaction that it shares")

func (t *laneTx) Begin(context.Context) (pgx.Tx, error) { return nil, errForeign }

func (t *laneTx) Commit(context.Context) error { return errForeign }

func (t *laneTx) Rollback(context.Context) error { return errForeign }

// Conn returns the connection, once all that is queued has been sent. It is idle while a lane runs, so it may be used, at
// the price of a round trip.
func (t *laneTx) Conn() *pgx.Conn {
	t.lane.pipeline.send()
	t.lane.pipeline.release()
	return t.lane.pipeline.conn
}

func (t *laneTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (t *laneTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.Conn().Prepare(ctx, name, sql)
}

// queue adds a statement to what is sent next.
func (t *laneTx) queue(sql string, args []any) *request {
	r := &request{lane: t.lane.index, sql: sql, args: args}
	if len(args) > 0 {
		_, r.alone = args[0].(pgx.QueryExecMode)
	}
	t.lane.pipeline.queue = append(t.lane.pipeline.queue, r)
	return r
}

// ask queues a statement and waits for its result.
func (t *laneTx) ask(sql string, args []any) *request {
	r := t.queue(sql, args)
	t.lane.wait()
	return r
}

func (t *laneTx) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r := t.ask(sql, args)
	return r.result.tag, r.err
}

func (t *laneTx) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r := t.ask(sql, args)
	return t.rows(r), r.err
}

func (t *laneTx) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	return row{t.rows(t.ask(sql, args))}
}

func (t *laneTx) rows(r *request) *rows {
	return &rows{tx: t, result: r.result, err: r.err}
}

// SendBatch queues the statements of a batch. They are sent when the results are asked for, or closed.
func (t *laneTx) SendBatch(_ context.Context, b *pgx.Batch) pgx.BatchResults {
	results := &batchResults{tx: t, batch: b}
	for _, q := range b.QueuedQueries {
		results.requests = append(results.requests, t.queue(q.SQL, q.Arguments))
	}
	return results
}

// CopyFrom queues rows for a table and does not wait. The rows are in memory, so their number is known.
func (t *laneTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	var all [][]any
	for source.Next() {
		values, err := source.Values()
		if err != nil {
			return 0, err
		}
		all = append(all, values)
	}
	if err := source.Err(); err != nil {
		return 0, err
	}
	switch {
	case len(all) == 0:
		return 0, nil
	case len(all) >= copyMin:
		t.lane.pipeline.queue = append(t.lane.pipeline.queue, &request{lane: t.lane.index, copy: &copyRows{table: table, columns: columns, rows: all}})
		return int64(len(all)), nil
	}
	types, err := t.lane.pipeline.typesOf(ctx, table)
	if err != nil {
		return 0, err
	}
	if !t.insert(table, columns, types, all) {
		for i := range all {
			t.insert(table, columns, types, all[i:i+1])
		}
	}
	return int64(len(all)), nil
}

// CopyBinary implements projections.BinaryCopier.
func (t *laneTx) CopyBinary(_ context.Context, sql string, rows []byte) error {
	p := t.lane.pipeline
	p.queue = append(p.queue, &request{lane: t.lane.index, sql: sql, copy: &copyRows{binary: rows}})
	return nil
}
