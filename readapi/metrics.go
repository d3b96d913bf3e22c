package readapi

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	requests *prometheus.HistogramVec // by operation id and status
	// changes counts the states of the database that were seen.
	changes prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		requests: registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_api_request_seconds", Help: "Time to answer a request, by operation and HTTP status.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"})),
		changes: registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_cache_state_changes_total", Help: "States of the projections that were seen, each of which answers are kept for.",
		})),
	}
}

// registered returns c, or the collector that an earlier API of the process registered in its place.
func registered[C prometheus.Collector](registry prometheus.Registerer, c C) C {
	err := registry.Register(c)
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		if earlier, ok := already.ExistingCollector.(C); ok {
			return earlier
		}
	}
	return c
}
