package pipeline

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// request is one statement of a lane, and its result once it was sent.
type request struct {
	lane int
	sql  string
	args []any
	// insertions are set for rows that are inserted, in place of a text.
	insertions *insertions
	// copy is set for rows that are sent with the COPY protocol.
	copy *copyRows
	// alone is set for a statement that says how it is to be executed. A stream can't do that, so it has a round trip of its own.
	alone bool
	// prepares is the name under which the server is to prepare the statement, which is not executed; empty otherwise.
	prepares string

	statement *statement // what is executed, once it is prepared
	result    result
	err       error
}

// copyRows are rows for a table, as values or in the binary format.
type copyRows struct {
	table   pgx.Identifier
	columns []string
	rows    [][]any
	binary  []byte // nil for values
}

// result is the answer to a statement, as the server sent it.
type result struct {
	fields []pgconn.FieldDescription
	rows   [][][]byte
	tag    pgconn.CommandTag
}

// streams reports whether a statement can be sent without waiting for the results of those before it.
func (r *request) streams() bool { return !r.copies() && !r.alone }

// copies reports whether rows are sent with the COPY protocol.
func (r *request) copies() bool { return r.copy != nil }

// send sends what is queued and stores the results: statements in a row go out together, rows for COPY by themselves.
func (p *pipeline) send() {
	p.aside.settle()
	for p.failure() == nil {
		p.prepare()
		p.post()
		if len(p.queue) == 0 {
			p.receive()
			break
		}
		if r := p.queue[0]; !r.streams() {
			p.queue = p.queue[1:]
			p.sendByItself(r)
		}
	}
	if p.failure() != nil {
		p.abort(p.posted)
		p.abort(p.queue)
	}
	p.queue = nil
}

// abort gives requests the error of a transaction that is lost.
func (p *pipeline) abort(requests []*request) {
	for _, r := range requests {
		switch {
		case r.err != nil:
		case r.lane == p.failed.Fold:
			r.err = p.failed.Err
		default:
			r.err = fmt.Errorf("%w: %w", ErrAborted, p.failed.Err)
		}
	}
}

// sendByItself sends what can't be streamed, after all before it.
func (p *pipeline) sendByItself(r *request) {
	if p.release(); p.failure() != nil {
		p.posted = append(p.posted, r) // for abort
		return
	}
	p.counts.Statements++
	p.counts.RoundTrips++
	if r.copies() {
		p.counts.RoundTrips++ // the server first says that it is ready
		r.err = p.copyRows(r)
	} else {
		r.result, r.err = ask(p.ctx, p.conn, r)
	}
	if r.err != nil {
		p.fail(r.lane, r.err)
	}
}

func (p *pipeline) copyRows(r *request) (err error) {
	if r.copy.binary != nil {
		_, err = p.conn.PgConn().CopyFrom(p.ctx, bytes.NewReader(r.copy.binary), r.sql)
	} else {
		_, err = p.conn.CopyFrom(p.ctx, r.copy.table, r.copy.columns, pgx.CopyFromRows(r.copy.rows))
	}
	return err
}

// ask executes a statement, and reads all rows.
func ask(ctx context.Context, conn *pgx.Conn, r *request) (answer result, err error) {
	rows, err := conn.Query(ctx, r.sql, r.args...)
	if err != nil {
		return answer, err
	}
	defer rows.Close()
	answer.fields = append(answer.fields, rows.FieldDescriptions()...)
	for rows.Next() {
		answer.rows = append(answer.rows, cloned(rows.RawValues()))
	}
	rows.Close()
	answer.tag = rows.CommandTag()
	return answer, rows.Err()
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
