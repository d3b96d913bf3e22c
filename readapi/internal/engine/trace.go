package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// tracer says which rows an answer is made of. value is nil when the answer is a failure.
type tracer func(ctx context.Context, s *Snapshot, input, value any) ([]Lookup, error)

// traced adds the tracer of an operation. In may be any interface that its input has, so that operations with inputs of
// their own can share one; Out is what its handler makes, zero for a failure.
func Trace[In, Out any](a *Engine, id string, lookups func(ctx context.Context, s *Snapshot, in In, out Out) ([]Lookup, error)) {
	a.Tracers[id] = func(ctx context.Context, s *Snapshot, input, value any) ([]Lookup, error) {
		var out Out
		if value != nil {
			out = value.(Out)
		}
		return lookups(ctx, s, input.(In), out)
	}
}

// What there is to say of those that have no rows behind them.
const (
	ofCounters = "it is made of counters, which each event changes"
	ofMany     = "it is made of all that waits to be mined: /extended/v1/tx/mempool lists it"
	ofPosition = "it says where the projections stand: /audit/v1/quarantine has what they could not read"
	ofServer   = "it says how the server is, and not what the log says"
	ofNode     = "it is what a node says, and not what the tables do"
	ofProgram  = "it is part of the program"
	ofStream   = "it says what happens as it happens, and the reads of the same say what it is made of"
	ofTree     = "it proves what the log has, and is made of the hashes of all events: docs/auditing.md says how to check it"
)

// untraced says why there is nothing to trace behind an operation, or behind a route that is none.
var untraced = map[string]string{
	"get-mempool-stats": ofMany,
	"get-mempool-fees":  ofMany,
	"get-status":        ofPosition,
	"get-status-v1":     ofPosition,
	"list-projections":  ofPosition,
	"getApiStatus":      ofCounters,
	"getOrdinalsStatus": ofCounters,
	"get-health":        ofServer,
	"get-readiness":     ofServer,
	"metrics":           ofServer,
	"get-nodes":         ofNode,
	"node":              ofNode,
	"get-trace":         "it is a trace itself",

	"stream-blocks":          ofStream,
	"stream-transactions":    ofStream,
	"stream-balances":        ofStream,
	"stream-contract-events": ofStream,
	"stream-mempool":         ofStream,
	"websocket":              ofStream,

	"get-log-checkpoint":         ofTree,
	"get-log-checkpoint-of-size": ofTree,
	"get-log-key":                ofTree,
	"get-log-tile":               ofTree,
	"get-log-inclusion-proof":    ofTree,
	"get-log-consistency-proof":  ofTree,

	"image":                        "it is a copy of what the log has: the token's provenance names the event that brought it",
	"root":                         "it leads to /extended",
	"pox2-moved":                   "it leads to /extended/v1/pox2",
	"pox3-moved":                   "it leads to /extended/v1/pox3",
	"pox4-moved":                   "it leads to /extended/v1/pox4",
	"get-network-block-times":      ofProgram,
	"get-network-block-time":       ofProgram,
	"list-microblocks":             ofProgram,
	"get-microblock":               ofProgram,
	"list-unanchored-transactions": ofProgram,

	"docs":         ofProgram,
	"console":      ofProgram,
	"openapi.json": ofProgram,
	"openapi.yaml": ofProgram,
}

// planOf finds what a path of this API comes to, as if somebody asked for it. The error says why there is nothing to
// trace.
func (a *Engine) PlanOf(ctx context.Context, path string) (*Plan, error) {
	target, err := url.ParseRequestURI(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return nil, BadRequest("%q is not a path of this API: want one that begins with a single slash, such as /extended/v2/blocks/latest, and no other host", path)
	}
	outer := ExchangeOf(ctx)
	var found *Plan
	x := &exchange{ID: outer.ID, Target: path, plan: func(p *Plan) { found = p }}
	r, err := http.NewRequestWithContext(withExchange(ctx, x), http.MethodGet, target.RequestURI(), nil)
	if err != nil {
		return nil, BadRequest("%q is not a path of this API: %s", path, err)
	}
	r.RequestURI = target.RequestURI()
	if r = routable(r); r == nil {
		return nil, NotFound("this API has no %s", path)
	}
	_, pattern := a.mux.Handler(r)
	name := a.Routes[pattern]
	if reason, ok := untraced[name]; ok {
		return nil, BadRequest("%s has no rows to trace: %s", path, reason)
	}
	if a.Tracers[name] == nil {
		return nil, NotFound("this API has no %s", path)
	}
	w := &refusalWriter{header: http.Header{}}
	a.mux.ServeHTTP(w, r)
	if found == nil {
		return nil, w.refusal(path)
	}
	return found, nil
}

// refusalWriter keeps what a request is refused with.
type refusalWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *refusalWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *refusalWriter) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *refusalWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// refusal is why a path could not be traced, in the words in which it is refused.
func (w *refusalWriter) refusal(path string) error {
	var said struct{ Message, Error string }
	if err := json.Unmarshal(w.body.Bytes(), &said); err != nil {
		return fmt.Errorf("plan %s: status %d: %q", path, w.status, w.body.String())
	}
	if w.status == http.StatusNotFound {
		return NotFound("%s: %s", path, cmp.Or(said.Message, said.Error))
	}
	return BadRequest("%s: %s", path, cmp.Or(said.Message, said.Error))
}
