package metadata

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/fetch"
	"strata/internal/instrument"
)

// metrics of the role in one process.
type metrics struct {
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	outstanding *prometheus.GaugeVec
	due         *prometheus.GaugeVec
	batches     prometheus.Histogram
}

const (
	namespace = "strata"
	subsystem = "metadata"
)

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		requests: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "requests_total",
			Help: "Requests by kind of want and by outcome: ok, the class of the status, or the failure.",
		}, []string{"kind", "outcome"})),
		seconds: instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "request_seconds", Help: "Time of one request until its body was read or given up.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"kind"})),
		outstanding: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "outstanding_jobs", Help: "Wants that were dispatched and are not done, of all processes.",
		}, []string{"lane"})),
		due: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "due_wants",
			Help: "Wants that are due, under way included, as far as the dispatcher looks: it does not count all of a long queue.",
		}, []string{"schema", "kind"})),
		batches: instrument.Registered(registry, prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "recorded_batch_reports", Help: "Reports that were recorded in one transaction.",
			Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
		})),
	}
}

// observe counts the exchanges of a finished attempt.
func (m *metrics) observe(report *fetch.Report) {
	kind := string(report.Want.Kind)
	for _, e := range report.Exchanges {
		m.requests.WithLabelValues(kind, outcome(e)).Inc()
		m.seconds.WithLabelValues(kind).Observe(float64(e.TookMicros) / 1e6)
	}
}

func outcome(e fetch.Exchange) string {
	switch {
	case e.Failure != "":
		return string(e.Failure)
	case e.Status >= 200 && e.Status <= 299:
		return "ok"
	}
	return fmt.Sprintf("%dxx", e.Status/100)
}
