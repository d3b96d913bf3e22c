package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// TraceRows adds to the trace of an answer rows that its queries do not show, such as the changes behind a sum. A handler of
// Get calls it before it returns; rows is called after that, and only while the answer is traced. A handler that fails may call
// it too, for the rows that explain the failure.
func (s *Snapshot) TraceRows(rows func() []Lookup) {
	if s.trace != nil {
		s.trace.shown = append(s.trace.shown, rows)
	}
}

// trace collects what a traced answer shows.
type trace struct {
	queried []*queriedRows
	shown   []func() []Lookup
}

// Trace answers a plan on the snapshot, which the caller keeps open. It returns the look-ups of the rows that the answer
// shows; and the answer's own failure, for which there may be look-ups as well.
func (p *Plan) Trace(ctx context.Context, s *Snapshot) (lookups []Lookup, failure, err error) {
	s.trace, s.read = &trace{}, nil
	_, failure = p.Handler(ctx, s)
	t := s.trace
	s.trace = nil
	p.learn(s)
	if failure == nil && len(t.queried) == 0 && len(t.shown) == 0 && len(s.Provenance.Sources) > 0 {
		return nil, nil, fmt.Errorf("operation %s read rows that come from events, and does not say which it shows: its queries have to name them in braces, see Query", p.Operation.ID)
	}
	for _, rows := range t.shown {
		lookups = append(lookups, rows()...)
	}
	for i, rows := range t.queried {
		for j := range lookups[i:] {
			rows.exclude(&lookups[i+j])
		}
		lookups = slices.Insert(lookups, i, rows.lookup())
	}
	return lookups, failure, nil
}

// TraceTables makes tables known to queries, which name them in braces: as projection.table.
func (e *Engine) TraceTables(tables ...*TraceTable) {
	for _, t := range tables {
		e.traceTables[strings.TrimPrefix(t.Projection+"."+t.Name, ".")] = t
	}
}

// Untraceable gives the reason why the answers of routes can't be traced to rows; see Operation.Untraced.
func (e *Engine) Untraceable(reason string, names ...string) {
	for _, name := range names {
		e.untraced[name] = reason
	}
}

// Reasons why answers of several resources can't be traced to rows.
const (
	PartOfProgram         = "it is part of the program"
	StateOfServer         = "it says how the server is, and not what the log says"
	MadeOfCounters        = "it is made of counters, which each event changes"
	WhereProjectionsStand = "it says where the projections stand: /audit/v1/quarantine has what they could not read"
)

// PlanOf returns the plan of a request for a path of this API, without executing it. The error says why the path can't
// be traced.
func (e *Engine) PlanOf(ctx context.Context, path string) (*Plan, error) {
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
	e.muxFilled()
	if r = e.routable(r); r == nil {
		return nil, NotFound("this API has no %s", path)
	}
	_, pattern := e.mux.Handler(r)
	name := e.Routes[strings.Replace(pattern, " "+separatePrefix+"/", " /", 1)]
	if reason, ok := e.untraced[name]; ok {
		return nil, BadRequest("%s has no rows to trace: %s", path, reason)
	}
	if !e.traced[name] {
		return nil, NotFound("this API has no %s", path)
	}
	w := &refusalWriter{header: http.Header{}}
	e.mux.ServeHTTP(w, r)
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
