package readapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// API answers reads over HTTP. It is an http.Handler, safe for concurrent use.
type API struct {
	config  Config
	mux     *http.ServeMux
	huma    huma.API
	metrics *metrics
	pending pendingTransfers
	handler http.Handler
}

// New makes the API with all its resources. It does not touch the database.
func New(config Config) *API {
	a := &API{config: config.withDefaults(), mux: http.NewServeMux(), pending: noPendingTransfers{}}
	a.metrics = newMetrics(a.config.Registry)
	a.huma = huma.NewAPI(a.description(), checkingAdapter{humago.NewAdapter(a.mux, "")})

	a.registerStatus()
	a.registerBlocks()
	a.registerSTXBalances()
	a.registerBalances()
	a.registerAuditEvents()
	a.registerAuditBodies()
	a.registerQuarantine()
	a.registerNegativeBalances()
	a.registerHealth()

	a.plain("GET /{$}", "root", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/extended", http.StatusMovedPermanently)
	})
	a.plain("GET /metrics", "metrics", promhttp.HandlerFor(a.config.Registry, promhttp.HandlerOpts{}).ServeHTTP)
	a.registerDocumentation()
	a.plain("/", "unknown", routeNotFound)
	a.handler = a.shell(http.HandlerFunc(a.route))
	return a
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// OpenAPI is the description of all operations (OpenAPI 3.1). It must not be changed.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// plain adds a route that is not a read of the tables; name stands for it in metrics and logs.
func (a *API) plain(pattern, name string, handler http.HandlerFunc) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		exchangeOf(r.Context()).operation = name
		handler(w, r)
	})
}
