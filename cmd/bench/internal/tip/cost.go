package tip

import (
	"context"
	"fmt"
	"time"

	"strata/cmd/bench/internal/bench"
)

// sample is what was spent until a moment.
type sample struct {
	at               time.Time
	transactions     int64
	statements       float64 // of folds
	roundTrips       float64
	strata, postgres time.Duration
}

func (w *world) sample(ctx context.Context) (s sample) {
	s.at = time.Now()
	s.strata = bench.ProcessorTime(w.server.Pid())
	s.postgres = bench.ProcessorTime(w.Cluster.Pid())
	metrics := w.server.Metrics(ctx) // of a server with an API
	s.statements, s.roundTrips = metrics["strata_projection_statements_total"], metrics["strata_projection_round_trips_total"]
	bench.Check(w.pool.QueryRow(ctx, `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`).Scan(&s.transactions))
	return s
}

// cost is what an event costs.
type cost struct {
	transactions, statements, roundTrips float64
	strata, postgres                     float64 // milliseconds
	rate                                 float64 // events per second
}

func costOf(before, after sample, events int) cost {
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(events) }
	return cost{
		transactions: float64(after.transactions-before.transactions) / float64(events),
		statements:   (after.statements - before.statements) / float64(events), roundTrips: (after.roundTrips - before.roundTrips) / float64(events),
		strata: each(after.strata - before.strata), postgres: each(after.postgres - before.postgres),
	}
}

func (c cost) cpu() string { return fmt.Sprintf("%.1f + %.1f ms", c.strata, c.postgres) }
