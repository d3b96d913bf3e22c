package metadata

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/fetch"
	"strata/internal/instrument"
)

// metrics has the metrics of the role in this process.
type metrics struct {
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	outstanding *prometheus.GaugeVec
	resting     *prometheus.GaugeVec
	missing     *prometheus.GaugeVec
	batches     prometheus.Histogram
	rests       prometheus.Counter
}

const (
	namespace = "strata"
	subsystem = "metadata"
)

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		requests: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "requests_total",
			Help: "Requests by kind of want and outcome (ok, class of the status, or kind of failure).",
		}, []string{"kind", "outcome"})),
		seconds: instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "request_seconds", Help: "Time of a request until its body was read or it failed, in seconds.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"kind"})),
		outstanding: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "outstanding_jobs", Help: "Wants that workers have, in all processes.",
		}, []string{"lane"})),
		resting: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "resting_jobs",
			Help: "Wants that are put off, in all processes, because all hosts of what they fetch want to be left alone, the image store is away, or the disk of the database is almost full.",
		}, []string{"lane"})),
		missing: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "missing_attachments",
			Help: "Attachments such as zonefiles of which the chain has the hash and that have not come, counted once a minute.",
		}, []string{"schema"})),
		rests: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "rests_total",
			Help: "Times that a contract had used up what it may cause to be fetched in a day, and nothing more was fetched for it.",
		})),
		batches: instrument.Registered(registry, prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "recorded_batch_reports", Help: "Reports recorded in one transaction.",
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
