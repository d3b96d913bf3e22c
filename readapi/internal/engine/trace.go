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

// tracer returns look-ups for the rows that an answer is built from. value is nil when the answer is a failure.
type tracer func(ctx context.Context, s *Snapshot, input, value any) ([]Lookup, error)

// Trace adds the tracer of an operation. In may be any interface that the operation's input implements, so that operations
// with different inputs can share a tracer. Out is the type that the handler returns; a failure has its zero value.
func Trace[In, Out any](a *Engine, id string, lookups func(ctx context.Context, s *Snapshot, in In, out Out) ([]Lookup, error)) {
	a.Tracers[id] = func(ctx context.Context, s *Snapshot, input, value any) ([]Lookup, error) {
		var out Out
		if value != nil {
			out = value.(Out)
		}
		return lookups(ctx, s, input.(In), out)
	}
}

// Why an answer can't be traced to rows. The error ends with one of these.
const (
	untracedCounters = "it is made of counters, which each event changes"
	untracedMempool  = "it is made of all that waits to be mined: /extended/v1/tx/mempool lists it"
	untracedPosition = "it says where the projections stand: /audit/v1/quarantine has what they could not read"
	untracedServer   = "it says how the server is, and not what the log says"
	untracedNode     = "it is what a node says, and not what the tables do"
	untracedProgram  = "it is part of the program"
	untracedStream   = "it says what happens as it happens, and the reads of the same say what it is made of"
	untracedTree     = "it proves what the log has, and is made of the hashes of all events: docs/auditing.md says how to check it"
)

// untraced gives the reason for each operation, or other route, whose answers can't be traced to rows.
var untraced = map[string]string{
	"get-mempool-stats": untracedMempool,
	"get-mempool-fees":  untracedMempool,
	"get-status":        untracedPosition,
	"get-status-v1":     untracedPosition,
	"list-projections":  untracedPosition,
	"getApiStatus":      untracedCounters,
	"getOrdinalsStatus": untracedCounters,
	"get-health":        untracedServer,
	"get-readiness":     untracedServer,
	"metrics":           untracedServer,
	"get-nodes":         untracedNode,
	"node":              untracedNode,
	"get-trace":         "it is a trace itself",

	"stream-blocks":          untracedStream,
	"stream-transactions":    untracedStream,
	"stream-balances":        untracedStream,
	"stream-contract-events": untracedStream,
	"stream-mempool":         untracedStream,
	"websocket":              untracedStream,

	"get-log-checkpoint":         untracedTree,
	"get-log-checkpoint-of-size": untracedTree,
	"get-log-key":                untracedTree,
	"get-log-tile":               untracedTree,
	"get-log-inclusion-proof":    untracedTree,
	"get-log-consistency-proof":  untracedTree,

	"image":                        "it is a copy of what the log has: the token's provenance names the event that brought it",
	"root":                         "it leads to /extended",
	"pox2-moved":                   "it leads to /extended/v1/pox2",
	"pox3-moved":                   "it leads to /extended/v1/pox3",
	"pox4-moved":                   "it leads to /extended/v1/pox4",
	"get-network-block-times":      untracedProgram,
	"get-network-block-time":       untracedProgram,
	"list-microblocks":             untracedProgram,
	"get-microblock":               untracedProgram,
	"list-unanchored-transactions": untracedProgram,

	"docs":         untracedProgram,
	"console":      untracedProgram,
	"openapi.json": untracedProgram,
	"openapi.yaml": untracedProgram,
}

// PlanOf returns the plan of a request for a path of this API, without executing it. The error says why the path can't
// be traced.
func (a *Engine) PlanOf(ctx context.Context, path string) (*Plan, error) {
	target, err := url.ParseRequestURI(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return nil, BadRequest("%q is not a path of this API: want one that begins with a single slash, such as /extended/v2/blocks/latest, and no other host", path)
	}
	outer := ExchangeOf(ctx)
	var plan *Plan
	x := &Exchange{ID: outer.ID, Target: path, plan: func(p *Plan) { plan = p }}
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
	if plan == nil {
		return nil, w.refusal(path)
	}
	return plan, nil
}

// refusalWriter holds the answer to a request that was refused.
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

// refusal returns the error for a path that could not be traced, with the message of the answer that refused it.
func (w *refusalWriter) refusal(path string) error {
	var body struct{ Message, Error string }
	if err := json.Unmarshal(w.body.Bytes(), &body); err != nil {
		return fmt.Errorf("plan %s: status %d: %q", path, w.status, w.body.String())
	}
	if w.status == http.StatusNotFound {
		return NotFound("%s: %s", path, cmp.Or(body.Message, body.Error))
	}
	return BadRequest("%s: %s", path, cmp.Or(body.Message, body.Error))
}
