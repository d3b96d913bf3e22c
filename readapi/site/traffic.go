package site

import (
	"math"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"strata/readapi/internal/engine"
)

// trafficCounts is what this process has answered since its start. The difference of two is what came between them.
type trafficCounts struct {
	// Requests by how long they took, those of live streams left out: Buckets[i] is how many took at most Bounds[i] seconds.
	Requests uint64
	Bounds   []float64
	Buckets  []uint64
	// Hits and Misses are answers that were in the cache, and such that had to be built.
	Hits, Misses uint64
}

// countTraffic returns the counts until now.
func countTraffic(e *engine.Engine) trafficCounts {
	var t trafficCounts
	series := make(chan prometheus.Metric)
	go func() {
		e.RequestSeconds().Collect(series)
		close(series)
	}()
	for metric := range series {
		var m dto.Metric
		if metric.Write(&m) != nil || m.GetHistogram() == nil || isLive(m.GetLabel()) {
			continue
		}
		h := m.GetHistogram()
		t.Requests += h.GetSampleCount()
		if t.Bounds == nil {
			t.Bounds, t.Buckets = make([]float64, len(h.GetBucket())), make([]uint64, len(h.GetBucket()))
			for i, bucket := range h.GetBucket() {
				t.Bounds[i] = bucket.GetUpperBound()
			}
		}
		for i, bucket := range h.GetBucket() {
			t.Buckets[i] += bucket.GetCumulativeCount()
		}
	}
	t.Hits, t.Misses = e.Cache.Counts()
	return t
}

// isLive reports whether requests of an operation last as long as the client listens.
func isLive(labels []*dto.LabelPair) bool {
	return slices.ContainsFunc(labels, func(l *dto.LabelPair) bool {
		return l.GetName() == "operation" && (strings.HasPrefix(l.GetValue(), "stream-") || strings.HasPrefix(l.GetValue(), "socket") || l.GetValue() == "websocket")
	})
}

// since returns what came after an earlier count.
func (t trafficCounts) since(earlier trafficCounts) trafficCounts {
	t.Requests -= earlier.Requests
	t.Hits, t.Misses = t.Hits-earlier.Hits, t.Misses-earlier.Misses
	t.Buckets = slices.Clone(t.Buckets)
	for i := range earlier.Buckets {
		t.Buckets[i] -= earlier.Buckets[i]
	}
	return t
}

// quantile returns the time in seconds within which a share of the requests was answered, to the width of a bucket; NaN without
// requests. Requests beyond the last bound count as if they had taken that long.
func (t trafficCounts) quantile(share float64) float64 {
	if t.Requests == 0 || len(t.Bounds) == 0 {
		return math.NaN()
	}
	rank := share * float64(t.Requests)
	var below uint64
	lower := 0.0
	for i, bound := range t.Bounds {
		if within := t.Buckets[i]; float64(within) >= rank {
			if within == below {
				return bound
			}
			return lower + (bound-lower)*(rank-float64(below))/float64(within-below)
		}
		below, lower = t.Buckets[i], bound
	}
	return lower
}
