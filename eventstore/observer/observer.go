package observer

import (
	"net/http"
)

// Observer handles all requests. It is safe for concurrent use. Mount it without a prefix and without a mux in front,
// which would clean paths and redirect.
type Observer struct {
	config  Config
	token   *bearerToken // nil: the ordinals feed needs no token
	metrics *metrics
}

// New returns an Observer.
func New(config Config) *Observer {
	config = config.withDefaults()
	return &Observer{
		config:  config,
		token:   newBearerToken(config.OrdhookToken),
		metrics: newMetrics(config.Registry),
	}
}

// ServeHTTP answers one request. See the package comment.
func (o *Observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a answer
	switch {
	case r.Method == http.MethodPost:
		a = o.receive(w, r)
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && isStatusPath(r.URL.Path):
		a = o.status(r)
	default:
		a = refuse(http.StatusMethodNotAllowed, "events are posted; only / and /status can be read")
		a.allow = http.MethodPost
		if isStatusPath(r.URL.Path) {
			a.allow = "GET, HEAD, POST"
		}
	}
	o.metrics.requests.WithLabelValues(pathLabel(r.URL.Path), a.statusText()).Inc()
	a.write(w, r)
}
