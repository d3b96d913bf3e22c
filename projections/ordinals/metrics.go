package ordinals

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"strata/projections"
)

// metrics shows the operator of a feed what the projection does with it.
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
		height:   factory.NewGauge(prometheus.GaugeOpts(options("height", "Height of the highest applied Bitcoin block of the ordinals feed."))),
		applied:  factory.NewCounter(prometheus.CounterOpts(options("applied_blocks_total", "Applied blocks of the ordinals feed."))),
		reverted: factory.NewCounter(prometheus.CounterOpts(options("reverted_blocks_total", "Reverted blocks of the ordinals feed."))),
		repeated: factory.NewCounter(prometheus.CounterOpts(options("repeated_blocks_total", "Blocks that the ordinals feed sent although they were applied already."))),
		anomalies: factory.NewCounterVec(prometheus.CounterOpts(options("anomalies_total",
			"Rollbacks of blocks that were not applied (unknown_rollback), blocks that replaced another without a rollback (replaced), and repeated blocks that say something else (changed).")), []string{"kind"}),
	}
	for _, kind := range []string{unknownRollback, replaced, changed} {
		m.anomalies.WithLabelValues(kind).Add(0)
	}
	return m
}

// observe counts what a committed batch did.
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
