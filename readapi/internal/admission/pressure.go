package admission

import (
	"math"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"time"
)

const (
	// hitRateMin is a rate of answers from memory, per second. Below it, there is nothing to protect.
	hitRateMin = 300
	// lateAfter is the time that a goroutine may wait for a processor, and lateMost the share of those that may wait longer.
	lateAfter = 200 * time.Microsecond
	lateMost  = 0.05
	// windowMost is the longest time between two looks that still says something about now.
	windowMost = 4 * Period
)

// Pressure tells whether many requests that are answered from memory wait for the processors, which reads of the database
// take from them: in this process, and in Postgres if that runs on the same machine. Hit is safe for concurrent use.
type Pressure struct {
	hits atomic.Int64

	at     time.Time
	seen   int64 // hits at the last look
	before []uint64
	sample [1]metrics.Sample
}

// Hit counts an answer from memory.
func (p *Pressure) Hit() { p.hits.Add(1) }

// Look reports whether there was pressure since the last look. Only one goroutine may call it at a time.
func (p *Pressure) Look() bool {
	p.sample[0].Name = "/sched/latencies:seconds"
	metrics.Read(p.sample[:])
	now, hits := time.Now(), p.hits.Load()
	waits := p.sample[0].Value.Float64Histogram()
	share := shareAbove(waits, p.before, lateAfter.Seconds())
	window, more := now.Sub(p.at), hits-p.seen
	p.at, p.seen = now, hits
	p.before = append(p.before[:0], waits.Counts...)
	return window <= windowMost && float64(more) >= hitRateMin*window.Seconds() && share > lateMost
}

// shareAbove returns the share of the values above a limit among those that a histogram has counted since before.
func shareAbove(h *metrics.Float64Histogram, before []uint64, limit float64) float64 {
	if len(before) != len(h.Counts) {
		before = make([]uint64, len(h.Counts))
	}
	first, _ := slices.BinarySearch(h.Buckets, limit) // the bucket that begins there
	all, above := uint64(0), uint64(0)
	for i, n := range h.Counts {
		all += n - before[i]
		if i >= first {
			above += n - before[i]
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return float64(above) / float64(all)
}
