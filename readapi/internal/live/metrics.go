package live

import (
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
)

type metrics struct {
	subscribers *prometheus.GaugeVec   // by protocol
	ended       *prometheus.CounterVec // by protocol and reason
	delivered   *prometheus.CounterVec // by protocol
	refused     prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		subscribers: instrument.Registered(registry, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "strata_live_subscribers", Help: "Open streaming connections, by protocol.",
		}, []string{"protocol"})),
		ended: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_live_ended_total", Help: "Streaming connections that ended, by protocol and reason.",
		}, []string{"protocol", "reason"})),
		delivered: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_live_messages_total", Help: "Messages put into the queues of subscribers, by protocol.",
		}, []string{"protocol"})),
		refused: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_live_refused_total", Help: "Streaming connections refused because there are too many.",
		})),
	}
}
