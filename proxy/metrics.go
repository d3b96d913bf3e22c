package proxy

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/proxy/internal/policy"
)

// metrics counts what clients see. The pool has the metrics of the nodes.
type metrics struct {
	requests  [sources]prometheus.Counter
	seconds   []prometheus.Observer // by endpoint
	retries   prometheus.Counter
	hedgesWon prometheus.Counter
	// hedgesLost counts the hedges whose second node was not faster.
	hedgesLost prometheus.Counter
	broadcasts *prometheus.CounterVec // by the node's role and its decision
}

func newMetrics(registry prometheus.Registerer) *metrics {
	requests := instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_proxy_requests_total", Help: "Requests to the proxy, by source of the answer.",
	}, []string{"source"}))
	seconds := instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "strata_proxy_request_seconds", Help: "Time to answer an admitted request, in seconds, by endpoint.",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"endpoint"}))
	hedges := instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_proxy_hedges_total",
		Help: "Requests that were also sent to a second node because the first was slow, by whether the second won.",
	}, []string{"won"}))
	m := &metrics{
		retries: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_proxy_retries_total", Help: "Attempts after the first one, on another node.",
		})),
		hedgesWon: hedges.WithLabelValues("true"), hedgesLost: hedges.WithLabelValues("false"),
		broadcasts: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_proxy_broadcasts_total", Help: "Transactions sent to nodes, by the node's role (first, other) and its answer.",
		}, []string{"role", "answer"})),
	}
	for s := range sources {
		m.requests[s] = requests.WithLabelValues(s.String())
	}
	m.seconds = make([]prometheus.Observer, policy.Count())
	for i, name := range policy.Names() {
		m.seconds[i] = seconds.WithLabelValues(name)
	}
	return m
}

func (m *metrics) observe(x *exchange, took time.Duration) {
	m.requests[x.source].Inc()
	if x.endpoint != nil {
		m.seconds[x.endpoint.Index].Observe(took.Seconds())
	}
}
