package proxy

import (
	"math"
	"sync/atomic"
	"time"
)

// percentile95 estimates the 95th percentile of a stream of durations, in two words of memory. A sample above the estimate raises it by 19 times as much as a sample below
// lowers it, so the estimate settles where one sample in twenty is above it. It is safe for concurrent use, but may
// lose one of two simultaneous samples. (Ma, Muthukrishnan, Sandler, Frugal Streaming for Estimating Quantiles, 2014,
// with relative steps.)
type percentile95 struct {
	bits    atomic.Uint64 // of the estimate in seconds, a float64
	samples atomic.Int64
}

const (
	percentileAbove = 0.95
	percentileBelow = 0.05
	percentilePace  = 0.05 // of the estimate, per sample
	// percentileSamples is the number of samples before there is an estimate.
	percentileSamples = 50
)

// observe adds a sample.
func (e *percentile95) observe(d time.Duration) {
	sample, bits := d.Seconds(), e.bits.Load()
	next := sample
	if bits != 0 {
		estimate := math.Float64frombits(bits)
		if sample > estimate {
			next = estimate * (1 + percentilePace*percentileAbove)
		} else {
			next = estimate * (1 - percentilePace*percentileBelow)
		}
	}
	if next > 0 && e.bits.CompareAndSwap(bits, math.Float64bits(next)) {
		e.samples.Add(1)
	}
}

// value returns the estimate; ok is false while there are too few samples.
func (e *percentile95) value() (d time.Duration, ok bool) {
	if e.samples.Load() < percentileSamples {
		return 0, false
	}
	return time.Duration(math.Float64frombits(e.bits.Load()) * float64(time.Second)), true
}
