package serve_test

import (
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// A collector gets the spans of an event from two processes as one tree, from its receipt to the commit of its rows; and those of a
// request down to the statement that reads the tables. Log lines, answers and metrics lead to them.
func TestSpans(t *testing.T) {
	t.Parallel()
	sink := newSink(t)
	url, log := pgtest.URL(t), &logbuffer.Buffer{}
	observer := serveHere(t, "--roles", "observer", "--database-url", url, "--otlp-url", sink.url)
	reader := serveAndLog(t, slog.New(slog.NewTextHandler(log, nil)), "--roles", "projector,api", "--database-url", url, "--otlp-url", sink.url,
		"--trusted-proxies", "127.0.0.1", "--access-log", "1", "--public-internals")
	const events = 4
	made := synthchain.New(synthchain.Everything(4, synthchain.V40))
	position := int64(0)
	for path := ""; position < events || path != "/new_block"; { // the fold of a block asks something before it writes
		p := made.Next()
		if got := observer.post(p.Path, p.Body); got.Status != http.StatusOK {
			t.Fatalf("got %d %s", got.Status, got.Body)
		}
		position, path = position+1, p.Path
		reader.caughtUp(position)
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	ask := func(path string) http.Header {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, reader.api+path, nil))(t)
		request.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
		request.Header.Set("X-Request-Id", "asked-by-a-test")
		request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
		response := must.Get(http.DefaultClient.Do(request))(t)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %d %s, %v", path, response.StatusCode, body, err)
		}
		response.Header.Set("Body", string(body))
		return response.Header
	}
	for range 2 { // the second answer is in memory
		if id := ask("/extended/v2/blocks?limit=3").Get("X-Request-Id"); id != "asked-by-a-test" {
			t.Errorf("the answer is to the request %q", id)
		}
	}
	exemplar := regexp.MustCompile(`strata_api_request_seconds_bucket\{operation="[^"]*",status="200",le="[^"]*"\} \d+ # \{trace_id="` + trace + `"\}`)
	folded := regexp.MustCompile(`strata_projection_fold_seconds_bucket\{projection="chain",[^}]*\} \d+ # \{trace_id="[0-9a-f]{32}"\}`)
	metrics := ask("/metrics").Get("Body")
	if !exemplar.MatchString(metrics) || !folded.MatchString(metrics) {
		t.Errorf("no exemplars in %s", metrics)
	}
	observer.stop() // sends what is left
	reader.stop()
	if line := regexp.MustCompile(`msg=access id=asked-by-a-test .*trace_id=` + trace); !line.MatchString(log.String()) {
		t.Errorf("the access log lacks the ids: %s", log)
	}

	event := sink.traceWhere(func(s *spans.Span) bool {
		return s.Name == "event" && attribute(s, "strata.position") == strconv.FormatInt(position, 10)
	})
	first := event.only(t, nil, "event")
	if len(first.ParentSpanId) != 0 {
		t.Errorf("the first span of an event has the parent %x", first.ParentSpanId)
	}
	event.only(t, first, "receive")
	event.only(t, event.only(t, first, "append"), "commit")
	fold := event.only(t, first, "fold")
	for _, version := range []string{"chain", "accounts", "balances", "commit"} {
		event.only(t, fold, version)
	}
	if statements := event.under(fold, "batch start"); len(statements) < 2 || len(statements[0].Events) == 0 {
		t.Errorf("the fold has the round trips %v, want some, with their statements", statements)
	}

	request := sink.traceWhere(func(s *spans.Span) bool { return hex.EncodeToString(s.TraceId) == trace })
	var answers []*spans.Span
	for _, s := range request {
		if hex.EncodeToString(s.ParentSpanId) == "b7ad6b7169203331" && attribute(s, "url.path") == "/extended/v2/blocks" {
			answers = append(answers, s)
		}
	}
	slices.SortFunc(answers, func(a, b *spans.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	if len(answers) != 2 {
		t.Fatalf("got %d spans of requests in %v, want 2", len(answers), request)
	}
	for _, s := range answers {
		if s.Kind != spans.Span_SPAN_KIND_SERVER || s.Name == http.MethodGet || attribute(s, "strata.request_id") != "asked-by-a-test" || attribute(s, "http.response.status_code") != "200" {
			t.Errorf("got the span %v", s)
		}
	}
	read := request.only(t, answers[0], "read")
	if within := request.below(read); !slices.ContainsFunc(within, hasStatement) {
		t.Errorf("the read has %v, want a statement", within)
	}
	if within := request.below(answers[1]); len(within) != 0 {
		t.Errorf("the answer from memory has %v", within)
	}
}

// hasStatement reports whether a span is that of a statement, or of a round trip with some.
func hasStatement(s *spans.Span) bool {
	return strings.Contains(attribute(s, "db.query.text"), "SELECT") ||
		slices.ContainsFunc(s.Events, func(e *spans.Span_Event) bool { return e.Name == "statement" })
}

// sink is a collector that keeps all spans.
type sink struct {
	url string
	mu  sync.Mutex
	all []*spans.Span
}

func newSink(t *testing.T) *sink {
	s := &sink{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("the collector got %s: %v", r.URL, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range request.ResourceSpans {
			for _, scope := range r.ScopeSpans {
				s.all = append(s.all, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	s.url = server.URL + "/v1/traces"
	return s
}

// traceWhere returns the trace that has a certain span.
func (s *sink) traceWhere(is func(*spans.Span) bool) (all spansOfTrace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, is)
	if i < 0 {
		return nil
	}
	for _, other := range s.all {
		if string(other.TraceId) == string(s.all[i].TraceId) {
			all = append(all, other)
		}
	}
	return all
}

type spansOfTrace []*spans.Span

// under returns the spans of a name directly within another one, or without a parent if that is nil.
func (all spansOfTrace) under(parent *spans.Span, name string) (found []*spans.Span) {
	for _, s := range all {
		if s.Name == name && string(s.ParentSpanId) == string(parent.GetSpanId()) {
			found = append(found, s)
		}
	}
	return found
}

// below returns all spans within another one.
func (all spansOfTrace) below(parent *spans.Span) (found []*spans.Span) {
	for _, s := range all {
		if string(s.ParentSpanId) == string(parent.SpanId) {
			found = append(append(found, s), all.below(s)...)
		}
	}
	return found
}

// only returns the only span of a name directly within another one.
func (all spansOfTrace) only(t *testing.T, parent *spans.Span, name string) *spans.Span {
	t.Helper()
	found := all.under(parent, name)
	if len(found) != 1 {
		t.Fatalf("got %d spans %q within %q, want 1 of %v", len(found), name, parent.GetName(), all)
	}
	return found[0]
}

func attribute(s *spans.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return strings.Trim(a.Value.String()[strings.Index(a.Value.String(), ":")+1:], `"`)
		}
	}
	return ""
}

// A collector that does not answer costs spans, and nothing else.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	log := &logbuffer.Buffer{}
	s := serveAndLog(t, slog.New(slog.NewTextHandler(log, nil)), "--roles", "observer,projector,api", "--database-url", pgtest.URL(t), "--otlp-url", gone.URL+"/v1/traces")
	if got := s.post("/new_block", []byte(`{"first":1}`)); got.Status != http.StatusOK {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	s.caughtUp(1)
	s.stop()
	if !strings.Contains(log.String(), "traces are lost") {
		t.Errorf("the log is %s", log)
	}
}
