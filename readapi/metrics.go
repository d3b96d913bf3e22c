package readapi

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
)

var errMetrics = &engine.Error{
	Code:    engine.CodeForbidden,
	Message: "metrics are for operators: they are at the addresses of --metrics-addr and --admin-addr, and here with --public-internals",
}

// metrics serves the metrics to operators. They name nodes, tell loads and count refusals, so strangers get 403.
func metrics(e *engine.Engine, registry *prometheus.Registry) http.HandlerFunc {
	all := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	return func(w http.ResponseWriter, r *http.Request) {
		if !e.ShowsInternals(r.Context()) {
			engine.ClientErrorAnswer(errMetrics).Serve(w, r, answer.Moment{})
			return
		}
		all.ServeHTTP(w, r)
	}
}
