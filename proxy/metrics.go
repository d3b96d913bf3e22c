package proxy

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/proxy/internal/policy"
)

// metrics of what clients see. Those of the nodes are the pool's.
type metrics struct {
	requests  [sources]prometheus.Counter
	seconds   []prometheus.Observer // by endpoint
	retries   prometheus.Counter
	hedgesWon prometheus.Counter
	// hedgesLost counts hedges that were no faster.
	hedgesLost prometheus.Counter
	broadcasts *prometheus.CounterVec // by how nodes took a transaction
}

func newMetrics(registry prometheus.Registerer) *metrics {
	requests := instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_proxy_requests_total", Help: "Requests to the proxy, by where the answer came from.",
	}, []string{"source"}))
	seconds := instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "strata_proxy_request_seconds", Help: "Time to answer a request that was admitted, by endpoint.",
		Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"endpoint"}))
	hedges := instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "strata_proxy_hedges_total", Help: "Requests that were sent to a second node because the first took long, by who won.",
	}, []string{"won"}))
	m := &metrics{
		retries: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_proxy_retries_total", Help: "Requests that were sent again, to another node.",
		})),
		hedgesWon: hedges.WithLabelValues("true"), hedgesLost: hedges.WithLabelValues("false"),
		broadcasts: instrument.Registered(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_proxy_broadcasts_total", Help: "Transactions sent to nodes, by role of the node and its answer.",
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
