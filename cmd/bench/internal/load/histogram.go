package load

import (
	"math/bits"
	"slices"
	"time"
)

// histogramParts is the number of buckets of equal width per power of two. It limits the error of a latency to 3 %.
const histogramParts = 32

// Histogram counts latencies without allocating. The zero value is empty.
type Histogram struct {
	counts [64 * histogramParts]uint32
	total  int
}

func (h *Histogram) add(d time.Duration) {
	h.counts[histogramBucket(uint64(max(d, 0)))]++
	h.total++
}

func (h *Histogram) merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// percentile returns the upper end of the bucket that contains the percentile; 0 for an empty histogram.
func (h *Histogram) percentile(p float64) time.Duration {
	rank := min(int(p*float64(h.total)), h.total-1)
	for i, n := range h.counts {
		if rank -= int(n); rank < 0 && n > 0 {
			return time.Duration(histogramEnd(i))
		}
	}
	return 0
}

// histogramBucket returns the bucket of a latency. Buckets are 1 ns wide up to 2*histogramParts; above, their width
// doubles with each power of two.
func histogramBucket(ns uint64) int {
	shift := max(bits.Len64(ns/histogramParts)-1, 0)
	return shift*histogramParts + int(ns>>shift)
}

// histogramEnd returns the first value above a bucket.
func histogramEnd(bucket int) uint64 {
	shift := max(bucket/histogramParts-1, 0)
	return uint64(bucket-shift*histogramParts+1) << shift
}

// Percentile sorts durations, and returns a percentile.
func Percentile(all []time.Duration, p float64) time.Duration {
	slices.Sort(all)
	return all[min(int(p*float64(len(all))), len(all)-1)]
}
