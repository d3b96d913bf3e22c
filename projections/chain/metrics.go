package chain

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the projection's Prometheus metrics.
type metrics struct {
	gaps     prometheus.Gauge
	height   prometheus.Gauge
	reverted prometheus.Counter
	repeated prometheus.Counter
	narrow   prometheus.Counter
	foreign  prometheus.Counter
	unknown  *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	factory := promauto.With(registry)
	unknown := prometheus.CounterOpts{
		Namespace: "strata", Subsystem: "decoder", Name: "unknown_fields_total",
		Help: "Events with a field that nobody decodes, by the field's path. List them at /audit/v1/unknown-fields.",
	}
	options := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "strata", Subsystem: "chain", Name: name, Help: help}
	}
	return &metrics{
		gaps:     factory.NewGauge(prometheus.GaugeOpts(options("gaps", "Missing blocks that received blocks wait for."))),
		height:   factory.NewGauge(prometheus.GaugeOpts(options("height", "Height of the canonical tip."))),
		reverted: factory.NewCounter(prometheus.CounterOpts(options("reverted_blocks_total", "Blocks reverted because they ceased to be canonical."))),
		repeated: factory.NewCounter(prometheus.CounterOpts(options("repeated_blocks_total", "Announcements of blocks that had been announced before."))),
		narrow: factory.NewCounter(prometheus.CounterOpts(options("narrow_copies_total",
			"Copies of blocks that lack what another copy of the same block has. List them at /audit/v1/narrow-copies."))),
		foreign: factory.NewCounter(prometheus.CounterOpts(options("foreign_events_total",
			"Events of another network than the log's. They are in quarantine; /readyz says of which."))),
		unknown: factory.NewCounterVec(unknown, []string{"path"}),
	}
}

// Instrument registers the projection's metrics. Call it before the projection runs.
func (c *Chain) Instrument(registry prometheus.Registerer) { c.metrics = newMetrics(registry) }

// observe returns the function that updates the metrics once the batch has committed.
func (m *metrics) observe(b *batch) func() {
	gaps, tip := len(b.state.gaps), b.state.tip
	return func() {
		m.gaps.Set(float64(gaps))
		m.reverted.Add(float64(b.reverted))
		m.repeated.Add(float64(b.repeated))
		m.narrow.Add(float64(b.narrow))
		m.foreign.Add(float64(b.foreign))
		for path, events := range b.unknown {
			m.unknown.WithLabelValues(path).Add(float64(events))
		}
		if tip != nil {
			m.height.Set(float64(tip.height))
		}
	}
}
