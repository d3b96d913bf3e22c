package serve

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	off, err := openTracer(t.Context(), tracerConfig{})
	if off != nil || err != nil {
		t.Fatalf("got %v, %v, want no tracer", off, err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	on, err := openTracer(t.Context(), tracerConfig{registry: prometheus.NewRegistry(), logger: slog.New(slog.DiscardHandler)})
	if on == nil || err != nil {
		t.Fatalf("got %v, %v, want a tracer", on, err)
	}
	on.Close()
	t.Setenv("OTEL_SDK_DISABLED", "true")
	if disabled, err := openTracer(t.Context(), tracerConfig{}); disabled != nil || err != nil {
		t.Errorf("got %v, %v, want no tracer", disabled, err)
	}
}

func TestCheckCollector(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"": true, "http://127.0.0.1:4318/v1/traces": true, "https://collector.example/v1/traces": true,
		"127.0.0.1:4318": false, "grpc://127.0.0.1:4317": false, "http://": false, ":": false,
	} {
		if err := checkCollector(address); (err == nil) != good {
			t.Errorf("%q: got %v", address, err)
		}
	}
}
