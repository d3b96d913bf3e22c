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
	queries  pgx.Batch
	err      error
}

func (s *snapshot) batch() *batch {
	b := &batch{snapshot: s}
	if s.assumed != nil {
		register.QueueAssumption(&b.queries, s.assumed)
	}
	return b
}

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
// name. Its first column is the array of events that the row comes from (of its source_seq columns); columns gives the
// destinations of the others.
func query[T any](b *batch, columns func(row *T) []any, sql string, args ...any) *result[T] {
	return queryPage(b, math.MaxInt, columns, sql, args...)
}

// queryPage is query for a page of limit rows and one more, which shows that there is a further page: that row is not
// part of the answer, and neither are its events.
func queryPage[T any](b *batch, limit int, columns func(row *T) []any, sql string, args ...any) *result[T] {
	r := &result[T]{}
	expanded, err := b.snapshot.expand(sql)
	if err != nil {
		b.err = err
		return r
	}
	b.queries.Queue(expanded, args...).Query(func(rows pgx.Rows) error {
		var sources []int64
		for rows.Next() {
			var row T
			if err := rows.Scan(append([]any{&sources}, columns(&row)...)...); err != nil {
				return err
			}
			if len(r.rows) < limit {
				b.snapshot.provenance.sources = append(b.snapshot.provenance.sources, sources...)
			}
			r.rows = append(r.rows, row)
		}
		return rows.Err()
	})
	return r
}

// run runs the queries; more batches may follow.
func (b *batch) run(ctx context.Context) error {
	if b.err != nil {
		return b.err
	}
	return b.snapshot.conn.SendBatch(ctx, &b.queries).Close()
}

// runLast runs the queries and ends the snapshot in the same round trip.
func (b *batch) runLast(ctx context.Context) error {
	if b.snapshot.assumed == nil {
		b.queries.Queue(`COMMIT`)
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
		b.WriteString(v.Schema())
		sql = after
	}
}
