package soak

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/internal/pause"
	"strata/internal/testkit/serverrig"
)

// figure is something that must not grow: it is sampled, and its last third compared with its first.
type figure struct {
	name   string
	metric string  // of the server; empty: connections to Postgres
	unit   float64 // what to divide it by
	slack  float64 // growth that says nothing
	values []sample
}

type sample struct {
	at    time.Time
	value float64
}

// newFigures returns the figures of a run.
func newFigures() []*figure {
	return []*figure{
		{name: "resident memory (MiB)", metric: "process_resident_memory_bytes", unit: 1 << 20, slack: 64},
		{name: "file descriptors", metric: "process_open_fds", unit: 1, slack: 100},
		{name: "goroutines", metric: "go_goroutines", unit: 1, slack: 200},
		{name: "Postgres connections", unit: 1, slack: 10},
	}
}

// sample samples until ctx is done. It leaves out what can't be had at a moment.
func (s *soak) sample(ctx context.Context, every time.Duration) {
	for ; ctx.Err() == nil; pause.For(ctx, every) {
		now := time.Now()
		values := serverrig.Metrics(ctx, s.metrics)
		for _, f := range s.figures {
			if f.metric == "" {
				if count, err := s.connections(ctx); err == nil {
					f.values = append(f.values, sample{now, count})
				}
			} else if value, ok := values[f.metric]; ok {
				f.values = append(f.values, sample{now, value / f.unit})
			}
		}
	}
}

// connections counts the sessions of clients, except the one that asks.
func (s *soak) connections(ctx context.Context) (count float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err = s.inDatabase(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT count(*)::float8 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&count)
	})
	return count, err
}

// thirds returns the median and the maximum of the first and of the last third of the time between from and to.
func (f *figure) thirds(from, to time.Time) (first, last spread) {
	third := to.Sub(from) / 3
	var early, late []float64
	for _, s := range f.values {
		switch {
		case s.at.Before(from.Add(third)):
			early = append(early, s.value)
		case s.at.After(to.Add(-third)):
			late = append(late, s.value)
		}
	}
	return spreadOf(early), spreadOf(late)
}

type spread struct{ median, most float64 }

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	slices.Sort(values)
	return spread{values[len(values)/2], values[len(values)-1]}
}

// grown reports whether the figure has grown by more than half, and by more than its slack.
func (f *figure) grown(first, last spread) bool {
	return last.median > 1.5*first.median && last.median > first.median+f.slack
}
