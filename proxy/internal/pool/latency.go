package pool

import (
	"math"
	"sync/atomic"
	"time"
)

// latency is a moving average of a node's response times. It decays with time: otherwise a node that was slow once
// would get no requests, and so look slow for ever.
type latency struct {
	seconds atomic.Uint64 // bits of a float64
	at      atomic.Int64  // of the last sample, in nanoseconds of the Unix epoch
}

const (
	latencyShare = 0.1             // of a new sample
	latencyFade  = 5 * time.Second // without a sample, the time after which the average is halved
	latencyFloor = 50e-6           // seconds; smaller differences mean nothing
)

func (l *latency) observe(took time.Duration, now time.Time) {
	l.at.Store(now.UnixNano())
	for {
		bits := l.seconds.Load()
		average := took.Seconds()
		if bits != 0 {
			before := math.Float64frombits(bits)
			average = before + latencyShare*(average-before)
		}
		if l.seconds.CompareAndSwap(bits, math.Float64bits(average)) {
			return
		}
	}
}

// value returns the decayed average in seconds, and at least the floor.
func (l *latency) value(now time.Time) float64 {
	average := math.Float64frombits(l.seconds.Load())
	if age := now.UnixNano() - l.at.Load(); age > 0 {
		average /= 1 + float64(age)/float64(latencyFade)
	}
	return max(average, latencyFloor)
}
