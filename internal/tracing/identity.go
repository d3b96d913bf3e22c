package tracing

import (
	"context"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

// Identities makes the ids of traces and spans: those of events as every process makes them, and random ones.
type Identities struct{}

// demanded has the ids that the next root span is to have.
type demanded struct {
	trace trace.TraceID
	span  trace.SpanID
}

type demandedKey struct{}

// demand returns a context in which a new root span has these ids.
func demand(ctx context.Context, ids demanded) context.Context {
	return context.WithValue(ctx, demandedKey{}, ids)
}

// NewIDs implements sdk.IDGenerator.
func (i Identities) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	if ids, ok := ctx.Value(demandedKey{}).(demanded); ok {
		return ids.trace, ids.span
	}
	for !id.IsValid() {
		fill(id[:8])
		fill(id[8:])
	}
	return id, i.NewSpanID(ctx, id)
}

// NewSpanID implements sdk.IDGenerator.
func (Identities) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	for !id.IsValid() {
		fill(id[:])
	}
	return id
}

func fill(b []byte) {
	for i, r := 0, rand.Uint64(); i < len(b); i, r = i+1, r>>8 {
		b[i] = byte(r)
	}
}
