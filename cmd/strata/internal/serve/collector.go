package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"strata/internal/instrument"
	"strata/internal/tracing"
)

// tracerConfig says where spans are sent, and of what they are.
type tracerConfig struct {
	// url is where the collector takes traces over HTTP, such as http://127.0.0.1:4318/v1/traces. If it is empty, the variables
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT say it.
	url string
	// version is the version of the program.
	version  string
	logger   *slog.Logger
	registry prometheus.Registerer
}

// checkCollector reports what is wrong with a URL of a collector.
func checkCollector(address string) error {
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

// openTracer returns a Tracer that sends spans to a collector, or nil if nothing says where that is. The variables of the OpenTelemetry specification, such as
// OTEL_TRACES_SAMPLER and OTEL_EXPORTER_OTLP_HEADERS, say the rest.
func openTracer(ctx context.Context, config tracerConfig) (*tracing.Tracer, error) {
	named := config.url != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != ""
	disabled, _ := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED"))
	if !named || disabled {
		return nil, nil
	}
	if err := checkCollector(config.url); err != nil {
		return nil, err
	}
	var options []otlptracehttp.Option
	if config.url != "" {
		options = append(options, otlptracehttp.WithEndpointURL(config.url))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithAttributes(
			attribute.String("service.name", cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), "strata")), attribute.String("service.version", config.version)),
		resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("describe the process in traces: %w", err)
	}
	counting := &countingExporter{
		SpanExporter: exporter, logger: config.logger,
		sent: instrument.Registered(config.registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_trace_spans_sent_total", Help: "Spans of traces that the collector has taken.",
		})),
		lost: instrument.Registered(config.registry, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "strata_trace_spans_lost_total", Help: "Spans of traces that the collector has not taken.",
		})),
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(counting), sdk.WithResource(about), sdk.WithIDGenerator(tracing.Identities{}))
	return tracing.New(provider, config.version), nil
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
