package observer

import (
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
)

// metrics are the metrics of the observer. The label path has a value from a fixed set, or "other".
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
		requests: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_requests_total",
			Help: "Requests answered, by path and HTTP status.",
		}, []string{"path", "status"})),
		events: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_events_total",
			Help: "Events stored, by path.",
		}, []string{"path"})),
		bytes: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_observer_bytes_total",
			Help: "Bytes of the bodies of stored events, by path.",
		}, []string{"path"})),
		appendSeconds: instrument.Registered(registry, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "strata_observer_append_seconds",
			Help:    "Seconds from the complete body to the durable event, or to the failure.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 17), // 0.5 ms to 33 s
		})),
		inFlight: instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "strata_observer_bodies_in_flight",
			Help: "Bodies being received or stored.",
		})),
		spooled: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_observer_spooled_bytes_total",
			Help: "Bytes of bodies spooled to a file because they are too large for memory or of unknown length.",
		})),
	}
}
