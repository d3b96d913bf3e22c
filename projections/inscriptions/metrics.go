package inscriptions

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics shows whether the feed is complete.
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
		inscriptions: factory.NewGauge(prometheus.GaugeOpts(options("inscriptions", "Number of known inscriptions."))),
		missing: factory.NewGauge(prometheus.GaugeOpts(options("missing_inscriptions",
			"Inscriptions that the feed must have lost: unused numbers between known ones."))),
		repeated: factory.NewCounter(prometheus.CounterOpts(options("repeated_inscriptions_total",
			"Quarantined reveals of inscriptions that were revealed before (see /audit/v1/quarantine)."))),
	}
}
