package follow

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"strata/internal/tracing"
	"strata/projections"
	"strata/projections/version"
)

// metrics of all followers of a process, by the name of the projection and the version of its tables.
type metrics struct {
	position    *prometheus.GaugeVec
	head        *prometheus.GaugeVec
	lag         *prometheus.GaugeVec
	lagSeconds  *prometheus.GaugeVec
	failed      *prometheus.GaugeVec
	items       *prometheus.CounterVec
	folds       *prometheus.HistogramVec
	waits       *prometheus.CounterVec
	skipped     *prometheus.CounterVec
	quarantined *prometheus.GaugeVec
	decoded     prometheus.Counter

	members                              prometheus.Gauge
	transactions, statements, roundTrips prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	factory := promauto.With(registry)
	labels := []string{"projection", "version"}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return factory.NewGaugeVec(prometheus.GaugeOpts{Namespace: "strata", Subsystem: "projection", Name: name, Help: help}, labels)
	}
	counter := func(name, help string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Namespace: "strata", Subsystem: "projection", Name: name, Help: help}, labels)
	}
	total := func(name, help string) prometheus.Counter {
		return factory.NewCounter(prometheus.CounterOpts{Namespace: "strata", Subsystem: "projection", Name: name, Help: help})
	}
	return &metrics{
		members: factory.NewGauge(prometheus.GaugeOpts{Namespace: "strata", Subsystem: "projection", Name: "on_board",
			Help: "Versions that fold in the transaction of a group that another version leads."}),
		transactions: total("transactions_total", "Transactions in which projections have folded: one for all that are at the same place."),
		statements:   total("statements_total", "Statements of folds in transactions that several projections share."),
		roundTrips:   total("round_trips_total", "Round trips to the database of folds in transactions that several projections share."),
		position:     gauge("position", "Last position of its input that the projection's rows reflect."),
		head:         gauge("head", "Newest position of the projection's input."),
		lag:          gauge("lag_events", "Items of its input that the projection has not folded yet."),
		lagSeconds:   gauge("lag_seconds", "Age of the oldest event that the projection has not folded yet; 0 when there is none."),
		failed:       gauge("failed", "1 while the projection is stopped by an error."),
		items:        counter("items_total", "Items folded."),
		waits:        counter("database_waits_total", "Times that the projection had to wait for the database."),
		skipped:      counter("skipped_events_total", "Events that the projection could not fold and went past, see /audit/v1/quarantine. Its rows lack their effects."),
		quarantined:  gauge("quarantined_events", "Events, and parts of events, that could not be read, see /audit/v1/quarantine."),
		decoded:      total("decoded_blocks_total", "Blocks decoded. Each block is decoded once, as long as the projections keep pace."),
		folds: factory.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "strata", Subsystem: "projection", Name: "fold_seconds", Help: "Time of one transaction of the projection.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, labels),
	}
}

func labels(version projections.Schema) []string {
	return []string{version.Name, strconv.Itoa(version.Version)}
}

// expect creates the series of a projection that alerts are made of: a missing series alerts nobody.
func (m *metrics) expect(version projections.Schema) {
	m.failed.WithLabelValues(labels(version)...).Set(0)
	m.waits.WithLabelValues(labels(version)...).Add(0)
	m.skipped.WithLabelValues(labels(version)...).Add(0)
	m.quarantined.WithLabelValues(labels(version)...).Set(0)
}

// forget deletes the gauges of a version that is gone: those that its follower sets, when that has ended, and those that the
// register tells, when it tells them no more.
func (m *metrics) forget(version projections.Schema) {
	for _, gauge := range []*prometheus.GaugeVec{m.position, m.head, m.lag, m.lagSeconds, m.failed, m.quarantined} {
		gauge.DeleteLabelValues(labels(version)...)
	}
}

// measured updates the gauges that the register tells.
func (m *metrics) measured(s version.Status) {
	m.head.WithLabelValues(labels(s.Schema())...).Set(float64(s.Head))
	m.lag.WithLabelValues(labels(s.Schema())...).Set(float64(s.Lag()))
	m.lagSeconds.WithLabelValues(labels(s.Schema())...).Set(s.LagSeconds)
	m.quarantined.WithLabelValues(labels(s.Schema())...).Set(float64(s.Quarantined))
}

// applied counts a transaction.
func (m *metrics) applied(ctx context.Context, version projections.Schema, items int, took time.Duration) {
	m.items.WithLabelValues(labels(version)...).Add(float64(items))
	tracing.Observe(ctx, m.folds.WithLabelValues(labels(version)...), took.Seconds())
}
