package tracing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// The attribute that has the position of an event in the log.
const positionKey = attribute.Key("strata.position")

// Identify says which log the events are of. It must be called before the tracer is used for events.
func (t *Tracer) Identify(archive [16]byte) {
	if t != nil {
		t.archive = archive
	}
}

// idsOf returns the ids of the trace of an event, and of its first span. They follow from the position, so that every process
// that has to do with the event adds to the same trace, although nothing but the log is between them.
func (t *Tracer) idsOf(position int64) (ids demanded) {
	digest := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("strata event "), t.archive[:]...), uint64(position)))
	copy(ids.trace[:], digest[:16])
	copy(ids.span[:], digest[16:24])
	return ids
}

// Span is something that took time, as a part of the trace of an event.
type Span struct {
	Name         string
	Began, Ended time.Time
	Attributes   []attribute.KeyValue
	Within       []Span // its parts
}

// Event adds the first span of the trace of an event, and those within. Its position is known only once it has been committed, so
// these spans are made afterwards.
func (t *Tracer) Event(position int64, first Span) {
	if t == nil {
		return
	}
	first.Attributes = append(first.Attributes, positionKey.Int64(position))
	t.add(demand(context.Background(), t.idsOf(position)), first)
}

func (t *Tracer) add(ctx context.Context, s Span) {
	ctx, span := t.tracer.Start(ctx, s.Name, trace.WithTimestamp(s.Began), trace.WithAttributes(s.Attributes...))
	defer span.End(trace.WithTimestamp(s.Ended))
	if !span.SpanContext().IsSampled() {
		return
	}
	for _, part := range s.Within {
		t.add(ctx, part)
	}
}

// StartInEvent begins a span in the trace of an event, whichever process has begun that.
func (t *Tracer) StartInEvent(ctx context.Context, position int64, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if t == nil {
		return ctx, noop.Span{}
	}
	ids := t.idsOf(position)
	parent := trace.SpanContextConfig{TraceID: ids.trace, SpanID: ids.span, Remote: true}
	// Whether the trace is sampled follows from its id. A first span that never ends tells it, without being sent.
	_, probe := t.tracer.Start(demand(context.Background(), ids), name)
	if probe.SpanContext().IsSampled() {
		parent.TraceFlags = trace.FlagsSampled
	}
	ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(parent))
	return t.tracer.Start(ctx, name, trace.WithAttributes(append(attributes, positionKey.Int64(position))...))
}

// StartOverEvents begins a trace of its own for what is done with many events at once.
func (t *Tracer) StartOverEvents(ctx context.Context, first, last int64, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if t == nil {
		return ctx, noop.Span{}
	}
	attributes = append(attributes, attribute.Int64("strata.position.first", first), attribute.Int64("strata.position.last", last))
	return t.tracer.Start(ctx, name, trace.WithNewRoot(), trace.WithAttributes(attributes...))
}
