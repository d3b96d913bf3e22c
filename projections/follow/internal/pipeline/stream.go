package pipeline

import (
	"cmp"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A transaction is one stream of statements. What lanes queue is sent while other lanes still compute, so that both this
// process and the server work. The results are asked for once all lanes wait.

// post sends the statements at the front of the queue that the server has prepared, and does not wait for their results.
func (p *pipeline) post() {
	sent := false
	for len(p.queue) > 0 && p.failure() == nil && p.isPrepared(p.queue[0]) {
		r := p.queue[0]
		p.queue, sent = p.queue[1:], true
		p.postOne(r)
	}
	if sent {
		p.flush()
	}
}

// postOne writes a statement that the server has prepared into the stream.
func (p *pipeline) postOne(r *request) {
	s := r.statement
	if err := p.arguments.Build(p.types, s.StatementDescription, r.args); err != nil {
		r.err = fmt.Errorf("pass arguments to %s: %w", r.sql, err)
		p.fail(r.lane, r.err)
		return
	}
	if p.prepared.unnamed {
		p.open().SendQueryParams(r.sql, p.arguments.ParamValues, s.ParamOIDs, p.arguments.ParamFormats, s.formats)
	} else {
		p.open().SendQueryStatement(s.StatementDescription, p.arguments.ParamValues, p.arguments.ParamFormats, s.formats)
	}
	p.posted = append(p.posted, r)
	p.counts.Statements++
}

// flush sends what is in the stream.
func (p *pipeline) flush() {
	if p.stream == nil || len(p.posted) == 0 {
		return
	}
	if err := p.stream.Flush(); err != nil {
		p.lose(err)
	}
}

// isPrepared reports whether a request is a statement that the server has prepared.
func (p *pipeline) isPrepared(r *request) bool {
	if r.statement == nil && r.streams() {
		if r.insertions != nil && r.sql == "" {
			r.sql = r.insertions.text()
		}
		r.statement = p.prepared.byText[r.sql]
	}
	return r.statement != nil
}

// prepare has the server prepare the statements at the front of the queue that it does not know yet.
func (p *pipeline) prepare() {
	var unknown []*request
	var seen map[string]bool
	for _, r := range p.queue {
		if !r.streams() {
			break
		}
		if !p.isPrepared(r) && !seen[r.sql] {
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[r.sql] = true
			unknown = append(unknown, &request{lane: r.lane, sql: r.sql, prepares: p.prepared.nextName()})
		}
	}
	for _, r := range unknown {
		p.open().SendPrepare(r.prepares, r.sql, nil)
	}
	p.posted = append(p.posted, unknown...)
	if len(unknown) > 0 {
		p.receive()
	}
}

// receive asks for the results of what was sent, and stores them.
func (p *pipeline) receive() {
	if len(p.posted) == 0 || p.failure() != nil {
		return
	}
	p.counts.RoundTrips++
	defer p.trace(p.posted)()
	if err := p.stream.Sync(); err != nil {
		p.lose(err)
		return
	}
	for _, r := range p.posted {
		if r.err = p.read(r); r.err != nil {
			p.prepared.forget(r.sql, r.err)
			p.fail(r.lane, r.err)
			return
		}
	}
	if _, err := p.stream.GetResults(); err != nil { // the end of the results
		p.lose(err)
		return
	}
	p.posted = nil
}

// trace tells the tracer of the connection of a round trip, as pgx does of its batches. The caller must call the returned function
// when the results are there.
func (p *pipeline) trace(requests []*request) (end func()) {
	tracer := p.prepared.tracer
	if tracer == nil {
		return func() {}
	}
	batch := &pgx.Batch{}
	for _, r := range requests {
		batch.Queue(r.sql)
	}
	ctx := tracer.TraceBatchStart(p.ctx, p.conn, pgx.TraceBatchStartData{Batch: batch})
	return func() {
		var failure error
		for _, r := range requests {
			tracer.TraceBatchQuery(ctx, p.conn, pgx.TraceBatchQueryData{SQL: r.sql, CommandTag: r.result.tag, Err: r.err})
			failure = cmp.Or(failure, r.err)
		}
		tracer.TraceBatchEnd(ctx, p.conn, pgx.TraceBatchEndData{Err: failure})
	}
}

// read reads the next result, which is that of a request.
func (p *pipeline) read(r *request) error {
	next, err := p.stream.GetResults()
	if err != nil {
		return err
	}
	switch answer := next.(type) {
	case *pgconn.StatementDescription:
		answer.Name, answer.SQL = r.prepares, r.sql
		p.prepared.add(p.types, answer)
		return nil
	case *pgconn.ResultReader:
		for answer.NextRow() {
			r.result.rows = append(r.result.rows, cloned(answer.Values()))
		}
		r.result.fields = r.statement.fields
		r.result.tag, err = answer.Close()
		return err
	}
	return fmt.Errorf("the server sent a %T in place of the result of %s", next, r.sql)
}

// lose notes that the connection has failed, which is no fold's fault.
func (p *pipeline) lose(err error) { p.fail(p.posted[0].lane, err) }

// open returns the stream. While it is open, the connection does nothing else.
func (p *pipeline) open() *pgconn.Pipeline {
	if p.stream == nil {
		p.stream = p.conn.PgConn().StartPipeline(p.ctx)
	}
	return p.stream
}

// end waits for all that is sent, and makes the connection free.
func (p *pipeline) end() {
	p.aside.settle()
	p.release()
}

// release waits for all that was sent, and makes the connection free for what can't be streamed.
func (p *pipeline) release() {
	p.receive()
	if p.stream == nil {
		return
	}
	// With results that nobody asked for, the transaction is lost, and they are of no use. If the connection is lost, too, pgx
	// is closing it from another goroutine, and panics when both write.
	if len(p.posted) > 0 && !p.conn.PgConn().IsClosed() {
		_ = p.stream.Sync()
	}
	_ = p.stream.Close() // this fails only after something else has
	p.stream = nil
}
