package pipeline

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// request is one statement of a lane, and its result once it was sent.
type request struct {
	lane int
	sql  string
	args []any
	// copy is set for rows that are sent with the COPY protocol.
	copy *copyRows
	// alone is set for a statement that says how it is to be executed. A batch can't do that, so it has a round trip of its own.
	alone bool

	result result
	err    error
}

// copyRows are rows for a table.
type copyRows struct {
	table   pgx.Identifier
	columns []string
	rows    [][]any
}

// result is the answer to a statement, as the server sent it.
type result struct {
	fields []pgconn.FieldDescription
	rows   [][][]byte
	tag    pgconn.CommandTag
}

// send sends what is queued and stores the results: statements in a row go out together, rows for COPY by themselves.
func (p *pipeline) send() {
	queue := p.queue
	p.queue = nil
	for len(queue) > 0 {
		if p.failed != nil {
			p.abort(queue)
			return
		}
		n := 1
		switch {
		case queue[0].copy != nil:
			p.sendRows(queue[0])
		case queue[0].alone:
			p.sendAlone(queue[0])
		default:
			for n < len(queue) && queue[n].copy == nil && !queue[n].alone {
				n++
			}
			p.sendStatements(queue[:n])
		}
		queue = queue[n:]
	}
}

// abort gives requests the error of a transaction that is lost.
func (p *pipeline) abort(requests []*request) {
	for _, r := range requests {
		r.err = fmt.Errorf("%w: %w", ErrAborted, p.failed.Err)
	}
}

func (p *pipeline) sendRows(r *request) {
	p.counts.Statements++
	p.counts.RoundTrips += 2 // the server first says that it is ready
	if _, r.err = p.tx.CopyFrom(p.ctx, r.copy.table, r.copy.columns, pgx.CopyFromRows(r.copy.rows)); r.err != nil {
		p.fail(r.lane, r.err)
	}
}

func (p *pipeline) sendAlone(r *request) {
	p.counts.Statements++
	p.counts.RoundTrips++
	rows, err := p.tx.Query(p.ctx, r.sql, r.args...)
	if err == nil {
		r.result, err = collect(rows)
	}
	if r.err = err; err != nil {
		p.fail(r.lane, err)
	}
}

func (p *pipeline) sendStatements(requests []*request) {
	p.counts.Statements += len(requests)
	p.counts.RoundTrips++
	batch := &pgx.Batch{}
	for _, r := range requests {
		batch.Queue(r.sql, r.args...)
	}
	answers := p.tx.SendBatch(p.ctx, batch)
	for i, r := range requests {
		if r.result, r.err = read(answers); r.err != nil {
			p.fail(r.lane, r.err)
			p.abort(requests[i+1:])
			break
		}
	}
	if err := answers.Close(); err != nil && p.failed == nil {
		p.fail(requests[len(requests)-1].lane, err)
	}
}

// read reads the next result of a batch.
func read(answers pgx.BatchResults) (r result, err error) {
	rows, err := answers.Query()
	if err != nil {
		return r, err
	}
	return collect(rows)
}

// collect reads all rows.
func collect(rows pgx.Rows) (r result, err error) {
	defer rows.Close()
	r.fields = append(r.fields, rows.FieldDescriptions()...)
	for rows.Next() {
		r.rows = append(r.rows, cloned(rows.RawValues()))
	}
	rows.Close()
	r.tag = rows.CommandTag()
	return r, rows.Err()
}

// cloned copies the values of a row, whose memory the next row takes, into memory of its own.
func cloned(values [][]byte) [][]byte {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	memory, row := make([]byte, 0, size), make([][]byte, len(values))
	for i, v := range values {
		if v == nil {
			continue // null
		}
		start := len(memory)
		memory = append(memory, v...)
		row[i] = memory[start:len(memory):len(memory)]
	}
	return row
}
