package engine

import (
	"net/http"
	"slices"
	"strings"

	"strata/readapi/internal/answer"
)

// ownPaths begin the paths that none of the APIs has that this one stands in for.
var ownPaths = []string{"/audit/", "/stream/", "/proxy/", "/healthz", "/readyz", "/metrics"}

// RouteUnknown answers requests that no route takes. A path of our own that takes other methods is answered with these; all
// else is not found, because that is what clients of the other APIs get for other methods, too.
func (e *Engine) RouteUnknown(w http.ResponseWriter, r *http.Request) {
	if slices.ContainsFunc(ownPaths, func(start string) bool { return strings.HasPrefix(r.URL.Path, start) }) {
		if methods := e.methodsOf(r); len(methods) > 0 {
			otherMethod(r.Method+" is not served here", methods).Serve(w, r, answer.Moment{})
			return
		}
	}
	RouteNotFound(w, r)
}

// methodsOf returns the methods that the path of a request takes.
func (e *Engine) methodsOf(r *http.Request) (methods []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := *r
		probe.Method = method
		if _, pattern := e.mux.Handler(&probe); pattern != "" && pattern != "/" {
			methods = append(methods, method)
		}
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	if len(methods) > 0 {
		methods = append(methods, http.MethodOptions)
	}
	return methods
}

// otherMethod is the answer to a request by a method that a path does not take.
func otherMethod(message string, takes []string) *answer.Answer {
	status := http.StatusMethodNotAllowed
	body := ErrorBody{StatusCode: status, Reason: http.StatusText(status), Message: message}
	return ErrorAnswer(body, answer.Config{Status: status, Fields: []answer.Field{{Name: "Allow", Values: []string{strings.Join(takes, ", ")}}}})
}
