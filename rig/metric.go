package rig

import (
	"testing"

	"strata/internal/testkit/metric"

	"github.com/prometheus/client_golang/prometheus"
)

// Metric returns the value of a counter or gauge that has no labels.
func Metric(t *testing.T, registry prometheus.Gatherer, name string) float64 {
	t.Helper()
	value, ok := metric.Sum(t, registry, name)
	if !ok {
		t.Fatalf("there is no metric %s", name)
	}
	return value
}
