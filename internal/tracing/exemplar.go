package tracing

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Observe observes a value that was measured in a context. If it has a span that is sampled, the value is an exemplar, which
// leads from the bucket of the histogram to the trace.
func Observe(ctx context.Context, observer prometheus.Observer, value float64) {
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		observe(observer, value, span.TraceID())
		return
	}
	observer.Observe(value)
}

// ObserveEvent observes a value that was measured while something was done with an event.
func (t *Tracer) ObserveEvent(position int64, observer prometheus.Observer, value float64) {
	if t == nil || position <= 0 {
		observer.Observe(value)
		return
	}
	ids := t.idsOf(position)
	if _, probe := t.tracer.Start(demand(context.Background(), ids), ""); probe.SpanContext().IsSampled() {
		observe(observer, value, ids.trace)
		return
	}
	observer.Observe(value)
}

func observe(observer prometheus.Observer, value float64, id trace.TraceID) {
	if exemplars, ok := observer.(prometheus.ExemplarObserver); ok {
		exemplars.ObserveWithExemplar(value, prometheus.Labels{"trace_id": id.String()})
		return
	}
	observer.Observe(value)
}
