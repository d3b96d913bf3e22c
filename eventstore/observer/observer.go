package observer

import (
	"cmp"
	"net/http"
)

// Observer handles all requests. It is safe for concurrent use. Mount it without a prefix and without a mux in front,
// which would clean paths and redirect.
type Observer struct {
	config  Config
	token   *bearerToken // nil: the ordinals feed needs no token
	secret  *secret      // nil: senders need none
	metrics *metrics
}

// New returns an Observer.
func New(config Config) *Observer {
	config = config.withDefaults()
	return &Observer{
		config:  config,
		token:   newBearerToken(config.OrdhookToken),
		secret:  newSecret(config.Secret),
		metrics: newMetrics(config.Registry),
	}
}

// ServeHTTP answers one request. See the package comment.
func (o *Observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := o.answerTo(w, r)
	o.metrics.requests.WithLabelValues(cmp.Or(a.label, pathLabel(r.URL.Path)), a.statusText()).Inc()
	a.write(w, r)
}

func (o *Observer) answerTo(w http.ResponseWriter, r *http.Request) (a answer) {
	if reason := o.rejectReason(r); reason != "" {
		a = refuse(http.StatusForbidden, reason)
		a.closing = true // the connection may still hold a body
		return a
	}
	switch {
	case r.Method == http.MethodPost:
		return o.receive(w, r)
	case (r.Method == http.MethodGet || r.Method == http.MethodHead) && isStatusPath(r.URL.Path):
		return o.status(r)
	default:
		a := refuse(http.StatusMethodNotAllowed, "events are posted; only / and /status can be read")
		a.allow = http.MethodPost
		if isStatusPath(r.URL.Path) {
			a.allow = "GET, HEAD, POST"
		}
		return a
	}
}
