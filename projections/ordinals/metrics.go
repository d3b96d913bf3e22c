package ordinals

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"strata/projections"
)

// metrics tell what an operator of a feed watches.
type metrics struct {
	height    prometheus.Gauge
	applied   prometheus.Counter
	reverted  prometheus.Counter
	repeated  prometheus.Counter
	anomalies *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	factory := promauto.With(registry)
	options := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "strata", Subsystem: "ordinals", Name: name, Help: help}
	}
	m := &metrics{
		height:   factory.NewGauge(prometheus.GaugeOpts(options("height", "Height of the highest Bitcoin block that the ordinals feed has applied."))),
		applied:  factory.NewCounter(prometheus.CounterOpts(options("applied_blocks_total", "Blocks of the ordinals feed that were applied."))),
		reverted: factory.NewCounter(prometheus.CounterOpts(options("reverted_blocks_total", "Blocks of the ordinals feed that were taken back."))),
		repeated: factory.NewCounter(prometheus.CounterOpts(options("repeated_blocks_total", "Blocks of the ordinals feed that were applied already."))),
		anomalies: factory.NewCounterVec(prometheus.CounterOpts(options("anomalies_total",
			"Blocks that were taken back without being applied (unknown_rollback), or took the place of another without a rollback (replaced).")), []string{"kind"}),
	}
	for _, kind := range []string{unknownRollback, replaced} {
		m.anomalies.WithLabelValues(kind).Add(0)
	}
	return m
}

// observe is called with a batch that has committed.
func (m *metrics) observe(b *batch, tip *projections.Tip) {
	m.applied.Add(float64(b.applied))
	m.reverted.Add(float64(b.reverted))
	m.repeated.Add(float64(b.repeated))
	for _, a := range b.anomalies {
		m.anomalies.WithLabelValues(a.kind).Inc()
	}
	if tip != nil {
		m.height.Set(float64(tip.Height))
	}
}
