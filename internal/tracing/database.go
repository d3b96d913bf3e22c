package tracing

import (
	"context"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"go.opentelemetry.io/otel/attribute"
	metrics "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
)

// Connections makes connections to a database trace their statements, as parts of the spans in whose contexts they are sent.
// Statements without such a span leave no trace. Parameters are not sent.
func (t *Tracer) Connections(config *pgx.ConnConfig) {
	if t == nil {
		return
	}
	own := database{otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider), otelpgx.WithMeterProvider(metrics.NewMeterProvider()))}
	if config.Tracer == nil {
		config.Tracer = own
		return
	}
	config.Tracer = multitracer.New(config.Tracer, own)
}

// database traces a round trip with many statements as one span, and not as one for each of them too: a fold may have hundreds.
type database struct{ *otelpgx.Tracer }

// statementMax is how many bytes of the text of a statement in a batch are shown.
const statementMax = 1 << 10

// TraceBatchQuery implements pgx.BatchTracer. The span has an event for each of the first hundred or so statements.
func (database) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	text := data.SQL
	if len(text) > statementMax {
		text = text[:statementMax] + "…"
	}
	span.AddEvent("statement", trace.WithAttributes(
		attribute.String("db.query.text", text), attribute.Int64("pgx.rows_affected", data.CommandTag.RowsAffected())))
}
