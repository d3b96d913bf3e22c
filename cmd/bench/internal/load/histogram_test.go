package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestHistogramBuckets(t *testing.T) {
	t.Parallel()
	before := -1
	for _, ns := range []uint64{0, 1, 31, 32, 63, 64, 65, 66, 127, 128, 1000, 1_000_000, 1_000_000_000, 1 << 62} {
		bucket := histogramBucket(ns)
		if bucket < before {
			t.Errorf("%d ns is in bucket %d, after bucket %d", ns, bucket, before)
		}
		before = bucket
		end := histogramEnd(bucket)
		if end <= ns || end-ns > 1+ns/histogramParts {
			t.Errorf("%d ns: its bucket ends at %d", ns, end)
		}
	}
}

func TestHistogramPercentiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var h, other Histogram
	var all []time.Duration
	for i := range 10_000 {
		d := time.Duration(random.ExpFloat64() * float64(time.Millisecond))
		all = append(all, d)
		if i%2 == 0 {
			h.add(d)
		} else {
			other.add(d)
		}
	}
	h.merge(&other)
	for _, p := range []float64{0, .5, .99, 1} {
		got, want := h.percentile(p), Percentile(all, p)
		if got < want || got > want+want/histogramParts+1 {
			t.Errorf("percentile %v: %v, want %v", p, got, want)
		}
	}
	if got := new(Histogram).percentile(.5); got != 0 {
		t.Errorf("percentile of nothing: %v", got)
	}
}
