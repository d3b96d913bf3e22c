package tracing

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"strata/internal/requestid"
)

// newTracer returns a tracer whose spans nobody takes. What OpenTelemetry reads of the environment can be set before.
func newTracer(t *testing.T) *Tracer {
	t.Helper()
	tracer := New(sdk.NewTracerProvider(sdk.WithIDGenerator(Identities{})), "")
	t.Cleanup(tracer.Close)
	return tracer
}

// Two processes agree about the ids of an event's trace, and about whether it is sampled.
func TestProcessesAgree(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
	writer, reader, other := newTracer(t), newTracer(t), newTracer(t)
	writer.Identify([16]byte{1})
	reader.Identify([16]byte{1})
	other.Identify([16]byte{2})
	sampled := 0
	for position := range int64(400) {
		ids := writer.idsOf(position)
		_, first := writer.tracer.Start(demand(context.Background(), ids), "event")
		ctx, fold := reader.StartInEvent(t.Context(), position, "fold")
		got := fold.SpanContext()
		if got.TraceID() != first.SpanContext().TraceID() || got.IsSampled() != first.SpanContext().IsSampled() || got.SpanID() == first.SpanContext().SpanID() {
			t.Fatalf("event %d: the fold is in %v, and the event in %v", position, got, first.SpanContext())
		}
		if !trace.SpanContextFromContext(ctx).Equal(got) {
			t.Fatalf("the context has %v, want %v", trace.SpanContextFromContext(ctx), got)
		}
		if other.idsOf(position) == ids {
			t.Fatalf("event %d has the same trace in another log", position)
		}
		if got.IsSampled() {
			sampled++
		}
	}
	if sampled < 120 || sampled > 280 {
		t.Errorf("%d of 400 events are sampled, want about half", sampled)
	}
}

// The trace of a sender is continued if the sender is trusted.
func TestSenders(t *testing.T) {
	t.Parallel()
	tracer := newTracer(t)
	for _, trusted := range []bool{false, true} {
		var seen trace.SpanContext
		var name string
		handler := tracer.Handler(func(a netip.Addr) bool { return trusted && a == netip.MustParseAddr("192.0.2.1") }, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen, name = trace.SpanContextFromContext(r.Context()), requestid.Of(r.Context())
		}))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if continued := seen.TraceID().String() == "0af7651916cd43dd8448eb211c80319c"; continued != trusted || !seen.IsSampled() {
			t.Errorf("trusted %v: the request is in %v", trusted, seen)
		}
		if name == "" || w.Header().Get("X-Request-Id") != name {
			t.Errorf("the request is called %q, and its answer is to %q", name, w.Header().Get("X-Request-Id"))
		}
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	tracer := newTracer(t)
	var out bytes.Buffer
	logger := tracer.Logger(slog.New(slog.NewTextHandler(&out, nil))).With(slog.String("a", "b"))
	ctx, span := tracer.Start(t.Context(), "something")
	logger.LogAttrs(t.Context(), slog.LevelInfo, "outside")
	logger.LogAttrs(ctx, slog.LevelInfo, "inside")
	outside, inside, _ := strings.Cut(out.String(), "\n")
	id := span.SpanContext()
	if strings.Contains(outside, "trace_id") || !strings.Contains(inside, "a=b trace_id="+id.TraceID().String()+" span_id="+id.SpanID().String()) {
		t.Errorf("got %s", out.String())
	}
}

func TestOff(t *testing.T) {
	var off *Tracer
	ctx := t.Context()
	observer := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h"})
	if got := testing.AllocsPerRun(100, func() {
		inner, span := off.Start(ctx, "something")
		if inner != ctx {
			t.Error("a context of its own")
		}
		Fail(span, nil)
		span.End()
		off.Event(1, Span{})
		off.ObserveEvent(1, observer, 1)
		Observe(ctx, observer, 1)
	}); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}
