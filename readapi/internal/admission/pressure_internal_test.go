package admission

import (
	"crypto/sha256"
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestShareAbove(t *testing.T) {
	t.Parallel()
	h := &metrics.Float64Histogram{Buckets: []float64{math.Inf(-1), 0, 0.001, 0.002, math.Inf(1)}, Counts: []uint64{0, 10, 20, 30}}
	for _, tc := range []struct {
		before []uint64
		limit  float64
		want   float64
	}{
		{nil, 0.002, 0.5},
		{nil, 0.0015, 0.5}, // the bucket that the limit is in does not count
		{nil, 0.001, 50.0 / 60},
		{[]uint64{0, 10, 20, 20}, 0.002, 1},
		{[]uint64{0, 0, 0, 30}, 0.002, 0},
	} {
		if got := shareAbove(h, tc.before, tc.limit); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("since %v, above %v: got %v, want %v", tc.before, tc.limit, got, tc.want)
		}
	}
	if got := shareAbove(h, h.Counts, 0); !math.IsNaN(got) {
		t.Errorf("of nothing: got %v", got)
	}
}

// There is pressure only while many answers come from memory, and goroutines wait for processors. It runs alone.
func TestPressure(t *testing.T) {
	p := &Pressure{}
	crowded := func(hits int) bool {
		p.Look()
		ended := make(chan struct{})
		const goroutines = 16
		for range goroutines * runtime.GOMAXPROCS(0) {
			go func() {
				digest := [sha256.Size]byte{}
				for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
					digest = sha256.Sum256(digest[:])
				}
				ended <- struct{}{}
			}()
		}
		for range goroutines * runtime.GOMAXPROCS(0) {
			<-ended
		}
		for range hits {
			p.Hit()
		}
		p.at = time.Now().Add(-Period) // however long that took here
		return p.Look()
	}
	if crowded(0) {
		t.Error("pressure without any answer from memory")
	}
	if !crowded(1000) {
		t.Error("no pressure although goroutines wait for processors")
	}
	p.at = time.Now().Add(-time.Hour)
	if p.Look() {
		t.Error("pressure an hour ago says nothing about now")
	}
}
