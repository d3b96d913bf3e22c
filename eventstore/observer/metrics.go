package observer

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics of the observer. The label path is one of a fixed set, or "other".
type metrics struct {
	requests      *prometheus.CounterVec
	events        *prometheus.CounterVec
	bytes         *prometheus.CounterVec
	appendSeconds prometheus.Histogram
	inFlight      prometheus.Gauge
	spooled       prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		requests: register(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_requests_total",
			Help: "Requests answered, by path and HTTP status.",
		}, []string{"path", "status"})),
		events: register(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_events_total",
			Help: "Events stored, by path.",
		}, []string{"path"})),
		bytes: register(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_bytes_total",
			Help: "Bytes of the bodies of stored events, by path.",
		}, []string{"path"})),
		appendSeconds: register(registry, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "strata_observer_append_seconds",
			Help:    "From the complete body to the durable event, or the failure.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 17), // 0.5 ms to 33 s
		})),
		inFlight: register(registry, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strata_observer_bodies_in_flight",
			Help: "Bodies that are being received or stored.",
		})),
		spooled: register(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_observer_spooled_bytes_total",
			Help: "Bytes of bodies that went through a file, being too large for memory or of unknown length.",
		})),
	}
}

// register returns c, or the collector that an earlier observer of the process registered in its place.
func register[C prometheus.Collector](registry prometheus.Registerer, c C) C {
	if registry == nil {
		return c
	}
	err := registry.Register(c)
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		if earlier, ok := already.ExistingCollector.(C); ok {
			return earlier
		}
	}
	return c
}
