// Package quantile estimates a quantile of a stream of durations in a word of memory.
package quantile

import (
	"math"
	"sync/atomic"
	"time"
)

// Estimate tracks the 95th percentile. A sample above the estimate raises it by 19 times as much as a sample below
// lowers it, so the estimate settles where one sample in twenty is above it. It is safe for concurrent use, but may
// lose one of two simultaneous samples. (Ma, Muthukrishnan, Sandler, Frugal Streaming for Estimating Quantiles, 2014,
// with relative steps.)
type Estimate struct {
	bits    atomic.Uint64 // of the estimate in seconds, a float64
	samples atomic.Int64
}

const (
	above = 0.95
	below = 0.05
	pace  = 0.05 // of the estimate, per sample
	// enough is the number of samples before there is an estimate.
	enough = 50
)

// Observe adds a sample.
func (e *Estimate) Observe(d time.Duration) {
	sample, bits := d.Seconds(), e.bits.Load()
	next := sample
	if bits != 0 {
		estimate := math.Float64frombits(bits)
		if sample > estimate {
			next = estimate * (1 + pace*above)
		} else {
			next = estimate * (1 - pace*below)
		}
	}
	if next > 0 && e.bits.CompareAndSwap(bits, math.Float64bits(next)) {
		e.samples.Add(1)
	}
}

// P95 returns the estimate; ok is false while there are too few samples.
func (e *Estimate) P95() (d time.Duration, ok bool) {
	if e.samples.Load() < enough {
		return 0, false
	}
	return time.Duration(math.Float64frombits(e.bits.Load()) * float64(time.Second)), true
}
