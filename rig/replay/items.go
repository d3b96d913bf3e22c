package replay

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/decode"
)

// Decode decodes posts as the only events of a log.
func Decode(t testing.TB, posts []Post) []projections.LogItem {
	t.Helper()
	events := make([]eventstore.Event, len(posts))
	for i, post := range posts {
		events[i] = eventstore.Event{Seq: int64(i + 1), Path: post.Path, Body: post.Body, Size: int64(len(post.Body))}
	}
	items, err := decode.New(nil, 0, prometheus.NewCounter(prometheus.CounterOpts{})).Decode(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// Texts executes a query with one text column and returns its rows.
func Texts(t testing.TB, tx pgx.Tx, query string, args ...any) []string {
	t.Helper()
	rows, err := tx.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}
