// Package tracing sends traces to a collector of OpenTelemetry: of what becomes of an event, and of how a request is answered.
// A nil *Tracer sends nothing, and all its methods may be called.
package tracing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"strata/internal/instrument"
)

// Tracer makes spans and sends those that are sampled. It is safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	archive  [16]byte // set by Identify before anything else uses the tracer
}

// Config configures a Tracer.
type Config struct {
	// URL is where the collector takes traces over HTTP, such as http://127.0.0.1:4318/v1/traces. If it is empty, the variables
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT say it.
	URL string
	// Version is the version of the program.
	Version  string
	Logger   *slog.Logger
	Registry prometheus.Registerer
}

// Check reports what is wrong with a URL of a collector.
func Check(address string) error {
	if address == "" {
		return nil
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return err
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return fmt.Errorf("%q is no URL of a collector: want one such as http://127.0.0.1:4318/v1/traces", address)
	}
	return nil
}

// shutdownTimeout bounds how long the last spans may take to be sent.
const shutdownTimeout = 5 * time.Second

// New returns a Tracer, or nil if nothing says where the collector is. The variables of the OpenTelemetry specification, such as
// OTEL_TRACES_SAMPLER and OTEL_EXPORTER_OTLP_HEADERS, say the rest.
func New(ctx context.Context, config Config) (*Tracer, error) {
	named := config.URL != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != ""
	disabled, _ := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED"))
	if !named || disabled {
		return nil, nil
	}
	if err := Check(config.URL); err != nil {
		return nil, err
	}
	var options []otlptracehttp.Option
	if config.URL != "" {
		options = append(options, otlptracehttp.WithEndpointURL(config.URL))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithAttributes(
			attribute.String("service.name", cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "strata")), attribute.String("service.version", config.Version)),
		resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("describe the process in traces: %w", err)
	}
	counting := &countingExporter{
		SpanExporter: exporter, logger: config.Logger,
		sent: instrument.Registered(config.Registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_trace_spans_sent_total", Help: "Spans of traces that the collector has taken.",
		})),
		lost: instrument.Registered(config.Registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_trace_spans_lost_total", Help: "Spans of traces that the collector has not taken.",
		})),
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(counting), sdk.WithResource(about), sdk.WithIDGenerator(identities{}))
	return &Tracer{provider: provider, tracer: provider.Tracer("strata", trace.WithInstrumentationVersion(config.Version))}, nil
}

// Close sends what waits to be sent, for some seconds at most.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // countingExporter has logged why spans are lost
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

// countingExporter counts the spans that are sent, and says when the collector begins and ceases to take them.
type countingExporter struct {
	sdk.SpanExporter
	logger     *slog.Logger
	sent, lost prometheus.Counter
	failing    bool // the exporter is called by one goroutine at a time
}

// ExportSpans implements sdk.SpanExporter.
func (e *countingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.lost.Add(float64(len(spans)))
		if !e.failing {
			e.logger.LogAttrs(ctx, slog.LevelWarn, "traces are lost: the collector does not take them", slog.Any("error", err))
		}
	} else {
		e.sent.Add(float64(len(spans)))
		if e.failing {
			e.logger.LogAttrs(ctx, slog.LevelInfo, "the collector takes traces again")
		}
	}
	e.failing = err != nil
	return nil // it has been reported
}

// Name gives the span of a context a name.
func Name(ctx context.Context, name string) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetName(name)
	}
}

// Note adds to the span of a context that something has happened.
func Note(ctx context.Context, what string) { trace.SpanFromContext(ctx).AddEvent(what) }
