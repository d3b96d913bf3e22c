// Package tracing makes traces of what becomes of an event, and of how a request is answered. A nil *Tracer makes none, and all its
// methods may be called. What sends them to a collector of OpenTelemetry is in package serve: it needs gRPC, which everything that
// makes a span would be linked with.
package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Tracer makes spans and sends those that are sampled. It is safe for concurrent use.
type Tracer struct {
	provider Provider
	tracer   trace.Tracer
	archive  [16]byte // set by Identify before anything else uses the tracer
}

// shutdownTimeout bounds how long the last spans may take to be sent.
const shutdownTimeout = 5 * time.Second

// Provider makes tracers, and sends what waits to be sent when it is shut down.
type Provider interface {
	trace.TracerProvider
	Shutdown(ctx context.Context) error
}

// New returns the Tracer of a version of the program, whose spans the provider sends. The provider must use Identities.
func New(provider Provider, version string) *Tracer {
	return &Tracer{provider: provider, tracer: provider.Tracer("strata", trace.WithInstrumentationVersion(version))}
}

// Close sends what waits to be sent, for some seconds at most.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter has logged why spans are lost
}

// Start begins a span as a part of the one that ctx has, or a trace of its own if it has none.
func (t *Tracer) Start(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if t == nil {
		return ctx, noop.Span{}
	}
	return t.tracer.Start(ctx, name, trace.WithAttributes(attributes...))
}

// Fail marks a span as that of something that has failed. A nil error changes nothing.
func Fail(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, err.Error())
	}
}

// Name gives the span of a context a name.
func Name(ctx context.Context, name string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetName(name)
	}
}

// Note adds to the span of a context that something has happened.
func Note(ctx context.Context, what string) { trace.SpanFromContext(ctx).AddEvent(what) }
