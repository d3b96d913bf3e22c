package serve

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/strata/internal/database"
	"strata/internal/tracing"
)

// telemetryFlags say where spans are sent.
type telemetryFlags struct {
	OTLPURL string `name:"otlp-url" env:"STRATA_OTLP_URL" placeholder:"URL" help:"URL at which a collector of OpenTelemetry takes spans over HTTP, such as http://127.0.0.1:4318/v1/traces (empty = that of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT, and no spans without these)."`

	tracer *tracing.Tracer // nil: none
}

func (f *telemetryFlags) checkTelemetry() error {
	if err := checkCollector(f.OTLPURL); err != nil {
		return fmt.Errorf("--otlp-url: %w", err)
	}
	return nil
}

// openTelemetry begins to trace, and returns the logger whose lines have the ids of traces.
func (c *Command) openTelemetry(ctx context.Context, logger *slog.Logger, registry prometheus.Registerer) (*slog.Logger, error) {
	var err error
	config := tracerConfig{url: c.OTLPURL, version: c.build.Tag, logger: logger, registry: registry}
	if c.tracer, err = openTracer(ctx, config); err != nil {
		return nil, fmt.Errorf("--otlp-url: %w", err)
	}
	if c.tracer != nil {
		logger.LogAttrs(ctx, slog.LevelInfo, "sending spans to a collector of OpenTelemetry")
	}
	return c.tracer.Logger(logger), nil
}

// identifyLog makes the traces of events those of this log.
func (c *Command) identifyLog(ctx context.Context, db *database.DB) error {
	if c.tracer == nil {
		return nil
	}
	var archive [16]byte
	if err := db.Pool.QueryRow(ctx, `SELECT id FROM strata.archive`).Scan(&archive); err != nil {
		return fmt.Errorf("read the identity of the log: %w", err)
	}
	c.tracer.Identify(archive)
	return nil
}
