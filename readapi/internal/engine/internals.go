package engine

import (
	"context"
	"net/http"
)

// Stopped replaces the error that stopped a projection in answers to strangers: errors name hosts, files and rows.
const Stopped = "it has stopped at an event; the administration API and the server's log say why"

type internalsKey struct{}

// ShowsInternals reports whether the answer to a request may have what only operators should know: addresses and names of
// nodes, loads, errors of the machinery. It is true for the handler of ForOperators, and everywhere if the configuration
// says so.
func (e *Engine) ShowsInternals(ctx context.Context) bool {
	marked, _ := ctx.Value(internalsKey{}).(bool)
	return marked || e.Config.PublicInternals
}

// showingInternals marks a request as an operator's.
func showingInternals(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), internalsKey{}, true))
}
