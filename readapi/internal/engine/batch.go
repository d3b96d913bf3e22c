package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/readapi/internal/register"
)

// Batch is a list of queries that share one round trip.
type Batch struct {
	Snapshot *Snapshot
	Queries  []queuedQuery
	err      error
	// assumption is the database's verdict on the assumed state, which each row of the first query carries.
	assumption string
}

// queuedQuery is a query that waits for its batch to run.
type queuedQuery struct {
	sql  string
	args []any
	read func(pgx.Rows) error
}

// Batch returns an empty batch on the snapshot.
func (s *Snapshot) Batch() *Batch { return &Batch{Snapshot: s} }

// Result holds the rows of a query once its batch has run.
type Result[T any] struct {
	Rows []T
}

// First returns the first row; ok is false when there is none.
func (r *Result[T]) First() (row T, ok bool) {
	if len(r.Rows) == 0 {
		return row, false
	}
	return r.Rows[0], true
}

// Query adds a query to a batch. In sql, {name} stands for the schema of the active version of the projection called
// name. The first column says in braces which rows of TraceTables a row of the result shows: {bns.name n, chain.block b} are
// those with the aliases n and b. The answer's Strata-Source and its trace follow from that. {} stands for none,
// {c.source_seq} for the number of an event alone, and an array of them for rows that are computed. columns returns the scan
// destinations of the other columns.
func Query[T any](b *Batch, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	return query(b, func(int, *T) bool { return true }, columns, sql, args)
}

// QueryPage is Query for a page of limit rows. The query selects one row more, whose presence shows that there is a
// further page: that row is not part of the answer, and neither are its events.
func QueryPage[T any](b *Batch, limit int, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	return query(b, func(n int, _ *T) bool { return n < limit }, columns, sql, args)
}

// QueryPart is Query for rows of which an answer shows a part; the others only say where the pages beside it begin.
func QueryPart[T any](b *Batch, shows func(row *T) bool, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	return query(b, func(_ int, row *T) bool { return shows(row) }, columns, sql, args)
}

func query[T any](b *Batch, shows func(n int, row *T) bool, columns func(row *T) []any, sql string, args []any) *Result[T] {
	r := &Result[T]{}
	q, err := b.prepare(sql, args)
	if err != nil {
		b.err = err
		return r
	}
	var shown shownRows
	first := b.first(&shown)
	q.read = func(rows pgx.Rows) error {
		r.Rows = nil // the query is sent again if another one in the same round trip failed
		for rows.Next() {
			var row T
			if err := rows.Scan(append(first[:len(first):len(first)], columns(&row)...)...); err != nil {
				return err
			}
			if shows(len(r.Rows), &row) {
				if err := b.Snapshot.show(&shown); err != nil {
					return err
				}
			}
			r.Rows = append(r.Rows, row)
		}
		return rows.Err()
	}
	b.Queries = append(b.Queries, q)
	return r
}

// rowsExpectedMax is the maximum number of rows for which there is room beforehand.
const rowsExpectedMax = 1 << 14

// QueryMany is Query for thousands of rows, of which about expected are to come. It calls columns once and copies each row
// from there: columns returns addresses within the row and changes nothing.
func QueryMany[T any](b *Batch, expected int, columns func(row *T) []any, sql string, args ...any) *Result[T] {
	r := &Result[T]{}
	q, err := b.prepare(sql, args)
	if err != nil {
		b.err = err
		return r
	}
	var row T
	var shown shownRows
	destinations := append(b.first(&shown), columns(&row)...)
	q.read = func(rows pgx.Rows) error {
		r.Rows = make([]T, 0, min(max(expected, 0), rowsExpectedMax))
		for rows.Next() {
			row = *new(T) // nothing of the row before
			if err := rows.Scan(destinations...); err != nil {
				return err
			}
			if err := b.Snapshot.show(&shown); err != nil {
				return err
			}
			r.Rows = append(r.Rows, row)
		}
		return rows.Err()
	}
	b.Queries = append(b.Queries, q)
	return r
}

// first returns the scan destinations of the columns before those of the query's author.
func (b *Batch) first(shown *shownRows) []any {
	if b.checks() {
		return []any{&b.assumption, shown.destination(b.Snapshot)}
	}
	return []any{shown.destination(b.Snapshot)}
}

// checks reports whether the next query has to verify, in an extra first column, that the database is in the assumed
// state. All queries of a batch see the same snapshot, so one check is enough: the first query's.
func (b *Batch) checks() bool { return b.Snapshot.Assumed != nil && len(b.Queries) == 0 }

// prepare returns the query in the form in which it is sent.
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
	// Only expand sees which versions a query reads: a stored text must not be used where that has to be known.
	mustExpand := len(b.Snapshot.others) > 0 || b.Snapshot.choice != nil || b.Snapshot.trace != nil
	if stored, ok := b.Snapshot.prepared.Load(key); ok && !mustExpand {
		text := stored.(preparedText)
		for _, name := range text.projections {
			b.Snapshot.Active(name)
		}
		q.sql = text.sql
		return q, nil
	}
	var projections []string
	if q.sql, projections, err = b.Snapshot.expand(sql); err != nil {
		return q, err
	}
	if key.checks > 0 {
		at := selectList(q.sql)
		q.sql = q.sql[:at] + " " + register.Assumption(key.checks, len(args)) + "," + q.sql[at:]
	}
	if b.Snapshot.trace == nil {
		b.Snapshot.prepared.Store(key, preparedText{q.sql, projections})
	}
	return q, nil
}

// selectList returns where the select list of a query begins: after DISTINCT ON (…), and not in a common table expression.
func selectList(sql string) int {
	const distinct = "SELECT DISTINCT ON ("
	depth, begins := 0, ""
	for i := range len(sql) {
		switch rest := sql[i:]; {
		case sql[i] == '(':
			depth++
		case sql[i] == ')':
			depth--
			if depth == 0 && begins == distinct {
				return i + 1
			}
		case depth > 0:
		case strings.HasPrefix(rest, distinct):
			begins = distinct
		case strings.HasPrefix(rest, "SELECT") && begins == "":
			return i + len("SELECT")
		}
	}
	return 0
}

// preparedKey identifies a prepared query text. There are no more of them than queries in the program times the
// combinations of active versions while it runs.
type preparedKey struct {
	sql, schemas, operation string
	checks                  int
}

// preparedText is a query text as it is sent, and the projections that it reads.
type preparedText struct {
	sql         string
	projections []string
}

// Run runs the queries; more batches may follow.
func (b *Batch) Run(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	if err := b.send(ctx); err != nil {
		return err
	}
	if b.Snapshot.Assumed != nil {
		err := register.Holds(b.assumption) // without a row nothing was confirmed, and the request is read again
		*b.Snapshot.confirmed = err == nil
		return err
	}
	return nil
}

func (b *Batch) send(ctx context.Context) error {
	switch s := b.Snapshot; {
	case s.Assumed == nil:
		return sendOn(ctx, s.conn, b.Queries)
	case s.plan.Operation.PointRead:
		return s.lane.combiner.send(ctx, b.Queries)
	default:
		return sendAlone(ctx, s.lane.pool, b.Queries)
	}
}

// expand replaces each {name} of a projection with the schema of its active version, and what stands in braces for the rows
// that are shown with an expression for them. It also returns the names of the projections.
func (s *Snapshot) expand(sql string) (expanded string, projections []string, err error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sql, "{")
		b.WriteString(before)
		if !found {
			return b.String(), projections, nil
		}
		name, after, found := strings.Cut(rest, "}")
		if name == "" || strings.Contains(name, ".") {
			shown, err := s.shownSQL(name)
			if err != nil {
				return "", nil, err
			}
			b.WriteString(shown)
			sql = after
			continue
		}
		v := s.Active(name)
		if !found || v == nil {
			return "", nil, fmt.Errorf("projection %q has no active version: %w", name, ErrNoChain)
		}
		if err := s.Foreign(name); err != nil {
			return "", nil, err
		}
		if !slices.Contains(projections, name) {
			projections = append(projections, name)
		}
		b.WriteString(v.Schema())
		sql = after
	}
}
