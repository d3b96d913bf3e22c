// Package metric reads metrics in tests.
package metric

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"strata/internal/testkit/must"
)

// Sum returns the sum of the series of a metric: of counters and gauges, and of the sample counts of histograms. labels are alternating
// names and values that a series must have; an empty name stands for any. ok is false where there is no such series.
func Sum(t testing.TB, registry prometheus.Gatherer, name string, labels ...string) (sum float64, ok bool) {
	t.Helper()
	families := must.Get(registry.Gather())(t)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			matches := family.GetName() == name
			for i := 0; i+1 < len(labels); i += 2 {
				has := false
				for _, l := range m.GetLabel() {
					has = has || (labels[i] == "" || labels[i] == l.GetName()) && l.GetValue() == labels[i+1]
				}
				matches = matches && has
			}
			if matches {
				sum, ok = sum+m.GetCounter().GetValue()+m.GetGauge().GetValue()+float64(m.GetHistogram().GetSampleCount()), true
			}
		}
	}
	return sum, ok
}
