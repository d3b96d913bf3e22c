package replay

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/packed"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/decode"
)

// TB is implemented by both tests and property checks.
type TB interface {
	Helper()
	Context() context.Context
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Beginner is a pool, or a transaction, within which another one begins.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Begin begins a transaction that ends with the test, and is never committed.
func Begin(t TB, db Beginner) pgx.Tx {
	t.Helper()
	tx := must.Get(db.Begin(context.Background()))(t)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// End rolls a transaction back, so that the tables are empty again.
func End(t TB, tx pgx.Tx) {
	t.Helper()
	must.Do(t, tx.Rollback(t.Context()))
}

// InTx runs f in a transaction that is rolled back, so that the next one begins with empty tables again.
func InTx(t TB, db Beginner, f func(tx pgx.Tx)) {
	t.Helper()
	tx := Begin(t, db)
	f(tx)
	End(t, tx)
}

// Decode decodes posts as the only events of a log.
func Decode(t TB, posts []Post) []projections.LogItem {
	t.Helper()
	events := make([]eventstore.Event, len(posts))
	for i, post := range posts {
		events[i] = eventstore.Event{Seq: int64(i + 1), Path: post.Path, Body: post.Body, Size: int64(len(post.Body))}
	}
	return must.Get(decode.New(nil, 0, prometheus.NewCounter(prometheus.CounterOpts{})).Decode(t.Context(), events))(t)
}

// Querier is a transaction or a pool.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// Texts executes a query with one text column and returns its rows.
func Texts(t TB, db Querier, query string, args ...any) []string {
	t.Helper()
	rows := must.Get(db.Query(t.Context(), query, args...))(t)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// Bodies returns the bodies of all events in a log, in order.
func Bodies(t TB, db Querier) [][]byte {
	t.Helper()
	rows := must.Get(db.Query(t.Context(), `SELECT e.size, h.body FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq) ORDER BY e.seq`))(t)
	return must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (body []byte, err error) {
		var size int64
		err = row.Scan(&size, &body)
		return packed.Unpack(body, size), err
	}))(t)
}
