package inscriptions

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics tell whether the feed is whole.
type metrics struct {
	inscriptions prometheus.Gauge
	missing      prometheus.Gauge
	repeated     prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	factory := promauto.With(registry)
	options := func(name, help string) prometheus.Opts {
		return prometheus.Opts{Namespace: "strata", Subsystem: "ordinals", Name: name, Help: help}
	}
	return &metrics{
		inscriptions: factory.NewGauge(prometheus.GaugeOpts(options("inscriptions", "Inscriptions that are known."))),
		missing: factory.NewGauge(prometheus.GaugeOpts(options("missing_inscriptions",
			"Inscriptions that the feed must have lost: numbers between known ones that nobody has."))),
		repeated: factory.NewCounter(prometheus.CounterOpts(options("repeated_inscriptions_total",
			"Reveals of inscriptions that another block had revealed, see /audit/v1/quarantine."))),
	}
}
