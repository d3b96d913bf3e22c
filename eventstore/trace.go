package eventstore

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"strata/internal/tracing"
)

// arrivalKey is the key of the time at which an event began to arrive.
type arrivalKey struct{}

// WithArrival returns a context for Append that says when the event began to arrive, for its trace.
func WithArrival(ctx context.Context, began time.Time) context.Context {
	return context.WithValue(ctx, arrivalKey{}, began)
}

// appendTraced appends an event, and then begins its trace.
func (l *Log) appendTraced(ctx context.Context, in Incoming) (int64, error) {
	began, path, size := time.Now(), in.Path, in.Body.Size()
	done, err := l.queue.add(ctx, in)
	if err != nil {
		return 0, err
	}
	ended := time.Now()
	written := tracing.Span{Name: "commit", Began: done.began, Ended: done.ended, Attributes: []attribute.KeyValue{attribute.Int("strata.events", done.events)}}
	first := tracing.Span{
		Name: "event", Began: began, Ended: ended,
		Attributes: []attribute.KeyValue{attribute.String("strata.path", path), attribute.Int64("strata.bytes", size), attribute.String("strata.source", in.Source)},
		Within:     []tracing.Span{{Name: "append", Began: began, Ended: ended, Within: []tracing.Span{written}}},
	}
	if arrived, ok := ctx.Value(arrivalKey{}).(time.Time); ok {
		first.Began = arrived
		first.Within = append([]tracing.Span{{Name: "receive", Began: arrived, Ended: began}}, first.Within...)
	}
	l.tracer.Event(done.seq, first)
	return done.seq, nil
}
