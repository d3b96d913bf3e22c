// Package quantile estimates a quantile of durations as they come, in a word of memory.
package quantile

import (
	"math"
	"sync/atomic"
	"time"
)

// Estimate follows the 95th percentile: a sample above it pulls it up by 19 times as much as one below pushes it down, so
// that it rests where one in twenty is above. It is safe for concurrent use; of samples at the same moment one may be
// lost. (Ma, Muthukrishnan, Sandler, Frugal Streaming for Estimating Quantiles, 2014, with relative steps.)
type Estimate struct {
	bits    atomic.Uint64 // of the seconds, a float64
	samples atomic.Int64
}

const (
	above = 0.95
	below = 0.05
	pace  = 0.05 // of the estimate, per sample
	// enough is how many samples it takes to say anything.
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

// P95 is the estimate; ok is false while there are too few samples.
func (e *Estimate) P95() (d time.Duration, ok bool) {
	if e.samples.Load() < enough {
		return 0, false
	}
	return time.Duration(math.Float64frombits(e.bits.Load()) * float64(time.Second)), true
}
