package engine

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/accesslog"
	"strata/internal/instrument"
	"strata/internal/tracing"
)

type metrics struct {
	requests *prometheus.HistogramVec // by operation id and status
	// changes counts the database states that the watch has seen.
	changes prometheus.Counter
	panics  prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	return &metrics{
		panics: accesslog.Panics(registry),
		requests: instrument.Registered(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_api_request_seconds", Help: "Time to answer a request, by operation and HTTP status.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"})),
		changes: instrument.Registered(registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_cache_state_changes_total", Help: "Changes of the projections' state that were seen. Cache keys follow the state.",
		})),
	}
}

// observe records an answered request in the metrics, and gives its span the name of the operation.
func (e *Engine) observe(ctx context.Context, operation string, observer prometheus.Observer, took time.Duration) {
	if e.Config.Tracer == nil {
		observer.Observe(took.Seconds())
		return
	}
	tracing.Observe(ctx, observer, took.Seconds())
	tracing.Name(ctx, operation)
}
