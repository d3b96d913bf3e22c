package follow

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"strata/internal/tracing"
	"strata/projections"
)

// startFold begins the span of a transaction that folds items. That of a single event is a part of the trace of the event; that of
// many is a trace of its own.
func startFold[T projections.Item](ctx context.Context, tracer *tracing.Tracer, by projections.Schema, items []T) (context.Context, trace.Span) {
	first, last := items[0].LogSeq(), items[len(items)-1].LogSeq()
	attributes := []attribute.KeyValue{attribute.String("strata.projection", by.String()), attribute.Int("strata.items", len(items))}
	if first == last {
		return tracer.StartInEvent(ctx, first, "fold", attributes...)
	}
	return tracer.StartOverEvents(ctx, first, last, "fold", attributes...)
}

// startPart begins the span of what a version does in a transaction with others.
func startPart(ctx context.Context, tracer *tracing.Tracer, m *move) trace.Span {
	_, span := tracer.Start(ctx, m.version.Name, attribute.Int("strata.version", m.version.Version))
	return span
}
