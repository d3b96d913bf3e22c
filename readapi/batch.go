package readapi

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/register"
)

// batch is a list of queries that share one round trip.
type batch struct {
	snapshot *snapshot
	queries  []queued
	err      error
	// assumption is what the database says of the state that is assumed, in each row of the first query.
	assumption string
}

// queued is a query that waits for its batch to run.
type queued struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

func (s *snapshot) batch() *batch { return &batch{snapshot: s} }

// result holds the rows of a query, once its batch has run.
type result[T any] struct {
	rows []T
}

// first is the first row; ok is false when there is none.
func (r *result[T]) first() (row T, ok bool) {
	if len(r.rows) == 0 {
		return row, false
	}
	return r.rows[0], true
}

// query adds a query to a batch. {name} in it stands for the schema of the active version of the projection called
// name. It begins with SELECT, and its first column is the array of events that the row comes from (of its source_seq
// columns); columns gives the destinations of the others.
func query[T any](b *batch, columns func(row *T) []any, sql string, args ...any) *result[T] {
	return queryPage(b, math.MaxInt, columns, sql, args...)
}

// queryPage is query for a page of limit rows and one more, which shows that there is a further page: that row is not
// part of the answer, and neither are its events.
func queryPage[T any](b *batch, limit int, columns func(row *T) []any, sql string, args ...any) *result[T] {
	r := &result[T]{}
	q, err := b.prepare(sql, args)
	if err != nil {
		b.err = err
		return r
	}
	var sources []int64
	first := []any{&sources}
	if b.checks() {
		first = []any{&b.assumption, &sources}
	}
	q.read = func(rows pgx.Rows) error {
		r.rows = nil // it may be read again, when it was sent together with one that failed
		for rows.Next() {
			var row T
			if err := rows.Scan(append(first[:len(first):len(first)], columns(&row)...)...); err != nil {
				return err
			}
			if len(r.rows) < limit {
				b.snapshot.provenance.sources = append(b.snapshot.provenance.sources, sources...)
			}
			r.rows = append(r.rows, row)
		}
		return rows.Err()
	}
	b.queries = append(b.queries, q)
	return r
}

// checks says whether the next query is the one that has to say, in a further first column, whether the assumed state is
// the database's. All queries of a batch see the same snapshot, so that one has to.
func (b *batch) checks() bool { return b.snapshot.assumed != nil && len(b.queries) == 0 }

// prepare makes of a query what is sent.
func (b *batch) prepare(sql string, args []any) (q queued, err error) {
	q = queued{sql: sql, args: args}
	key := prepared{sql: sql, schemas: b.snapshot.state.Schemas()}
	if p := b.snapshot.plan; p != nil {
		key.operation = p.operation.id
	}
	if b.checks() {
		key.checks = len(b.snapshot.assumed)
		q.args = append(args[:len(args):len(args)], register.AssumptionArgs(b.snapshot.assumed)...)
	}
	// Texts that are made are not looked through again, so that nobody sees which versions they read.
	looked := len(b.snapshot.others) > 0 || b.snapshot.choice != nil
	if made, ok := b.snapshot.prepared.Load(key); ok && !looked {
		q.sql = made.(string)
		return q, nil
	}
	if q.sql, err = b.snapshot.expand(sql); err != nil {
		return q, err
	}
	if key.checks > 0 {
		before, after, _ := strings.Cut(q.sql, "SELECT")
		q.sql = before + "SELECT " + register.Assumption(key.checks, len(args)) + "," + after
	}
	b.snapshot.prepared.Store(key, q.sql)
	return q, nil
}

// prepared tells queries apart whose text is made. There are as many as there are queries in the program, and versions of
// projections while it runs.
type prepared struct {
	sql, schemas, operation string
	checks                  int
}

// run runs the queries; more batches may follow.
func (b *batch) run(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	if err := b.send(ctx); err != nil {
		return err
	}
	if b.snapshot.assumed != nil {
		return register.Holds(b.assumption) // without a row nobody has said so, and it is read again
	}
	return nil
}

func (b *batch) send(ctx context.Context) error {
	switch s := b.snapshot; {
	case s.assumed == nil:
		return sendOn(ctx, s.conn, b.queries)
	case s.plan.operation.brief:
		return s.combiner.send(ctx, b.queries)
	default:
		return sendAlone(ctx, s.combiner.pool, b.queries)
	}
}

// runLast runs the queries and ends the snapshot in the same round trip.
func (b *batch) runLast(ctx context.Context) error {
	if b.snapshot.assumed == nil && !b.snapshot.goesOn {
		b.queries = append(b.queries, queued{sql: `COMMIT`, read: func(rows pgx.Rows) error {
			rows.Close()
			return rows.Err()
		}})
	}
	return b.run(ctx)
}

// expand puts schemas in the place of names of projections.
func (s *snapshot) expand(sql string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sql, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, found := strings.Cut(rest, "}")
		v := s.active(name)
		if !found || v == nil {
			return "", fmt.Errorf("projection %q has no active version: %w", name, errNoChain)
		}
		if err := s.foreign(name); err != nil {
			return "", err
		}
		b.WriteString(v.Schema())
		sql = after
	}
}
