package engine

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/register"
)

// batch is a list of queries that share one round trip.
type Batch struct {
	Snapshot *Snapshot
	Queries  []queuedQuery
	err      error
	// assumption is what the database says of the state that is assumed, in each row of the first query.
	assumption string
}

// queued is a query that waits for its batch to run.
type queuedQuery struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

func (s *Snapshot) Batch() *Batch { return &Batch{Snapshot: s} }

// result holds the rows of a query, once its batch has run.
type Result[T any] struct {
	Rows []T
}

// first is the first row; ok is false when there is none.
func (r *Result[T]) First() (row T, ok bool) {
	if len(r.Rows) == 0 {
		return row, false
	}
	return r.Rows[0], true
}

// query adds a query to a batch. {name} in it stands for the schema of the active version of the projection called
// name. It begins with SELECT, and its first column is the array of events that the row comes from (of its source_seq
// columns); columns gives the destinations of the others.
func Query[T any](b *Batch, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	return QueryPage(b, math.MaxInt, columns, sql, args...)
}

// queryPage is query for a page of limit rows and one more, which shows that there is a further page: that row is not
// part of the answer, and neither are its events.
func QueryPage[T any](b *Batch, limit int, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	r := &Result[T]{}
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
		r.Rows = nil // it may be read again, when it was sent together with one that failed
		for rows.Next() {
			var row T
			if err := rows.Scan(append(first[:len(first):len(first)], columns(&row)...)...); err != nil {
				return err
			}
			if len(r.Rows) < limit {
				b.Snapshot.Provenance.Sources = append(b.Snapshot.Provenance.Sources, sources...)
			}
			r.Rows = append(r.Rows, row)
		}
		return rows.Err()
	}
	b.Queries = append(b.Queries, q)
	return r
}

// checks says whether the next query is the one that has to say, in a further first column, whether the assumed state is
// the database's. All queries of a batch see the same snapshot, so that one has to.
func (b *Batch) checks() bool { return b.Snapshot.Assumed != nil && len(b.Queries) == 0 }

// prepare makes of a query what is sent.
func (b *Batch) prepare(sql string, args []any) (q queuedQuery, err error) {
	q = queuedQuery{sql: sql, args: args}
	key := preparedKey{sql: sql, schemas: b.Snapshot.State.Schemas()}
	if p := b.Snapshot.plan; p != nil {
		key.operation = p.Operation.ID
	}
	if b.checks() {
		key.checks = len(b.Snapshot.Assumed)
		q.args = append(args[:len(args):len(args)], register.AssumptionArgs(b.Snapshot.Assumed)...)
	}
	// Texts that are made are not looked through again, so that nobody sees which versions they read.
	looked := len(b.Snapshot.others) > 0 || b.Snapshot.choice != nil
	if made, ok := b.Snapshot.prepared.Load(key); ok && !looked {
		q.sql = made.(string)
		return q, nil
	}
	if q.sql, err = b.Snapshot.expand(sql); err != nil {
		return q, err
	}
	if key.checks > 0 {
		before, after, _ := strings.Cut(q.sql, "SELECT")
		q.sql = before + "SELECT " + register.Assumption(key.checks, len(args)) + "," + after
	}
	b.Snapshot.prepared.Store(key, q.sql)
	return q, nil
}

// prepared tells queries apart whose text is made. There are as many as there are queries in the program, and versions of
// projections while it runs.
type preparedKey struct {
	sql, schemas, operation string
	checks                  int
}

// run runs the queries; more batches may follow.
func (b *Batch) Run(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	if err := b.send(ctx); err != nil {
		return err
	}
	if b.Snapshot.Assumed != nil {
		return register.Holds(b.assumption) // without a row nobody has said so, and it is read again
	}
	return nil
}

func (b *Batch) send(ctx context.Context) error {
	switch s := b.Snapshot; {
	case s.Assumed == nil:
		return sendOn(ctx, s.conn, b.Queries)
	case s.plan.Operation.Brief:
		return s.combiner.send(ctx, b.Queries)
	default:
		return sendAlone(ctx, s.combiner.pool, b.Queries)
	}
}

// runLast runs the queries and ends the snapshot in the same round trip.
func (b *Batch) RunLast(ctx context.Context) error {
	if b.Snapshot.Assumed == nil && !b.Snapshot.KeepOpen {
		b.Queries = append(b.Queries, queuedQuery{sql: `COMMIT`, read: func(rows pgx.Rows) error {
			rows.Close()
			return rows.Err()
		}})
	}
	return b.Run(ctx)
}

// expand puts schemas in the place of names of projections.
func (s *Snapshot) expand(sql string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sql, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, found := strings.Cut(rest, "}")
		v := s.Active(name)
		if !found || v == nil {
			return "", fmt.Errorf("projection %q has no active version: %w", name, ErrNoChain)
		}
		if err := s.Foreign(name); err != nil {
			return "", err
		}
		b.WriteString(v.Schema())
		sql = after
	}
}
