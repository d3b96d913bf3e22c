// Package gcfloor makes garbage collections of a small heap rare. Go collects when the heap has doubled since the last
// collection. A server with a small heap therefore collects several times a second, and each collection delays requests
// for some milliseconds.
package gcfloor

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// live is the metric of the bytes that the last collection found reachable.
const live = "/gc/heap/live:bytes"

const (
	percentDefault = 100
	// leastLive is the size, in bytes, that Go assumes for any smaller live heap.
	leastLive = 4 << 20
)

// Keep lets the heap grow to floor bytes before it is collected. A larger heap is collected when it has doubled, as usual.
// Keep applies until the process ends. It does nothing if the environment variable GOGC is set.
func Keep(floor uint64) {
	if os.Getenv("GOGC") == "" {
		after(&keeper{floor: floor, percent: percentDefault})
	}
}

// keeper sets the target of the next collection after each one.
type keeper struct {
	floor   uint64
	percent int
}

// cycle is an object that becomes unreachable at once, so that its cleanup runs after the next collection.
type cycle struct{ keeper *keeper }

func after(k *keeper) {
	runtime.AddCleanup(&cycle{k}, func(k *keeper) {
		k.tune()
		after(k)
	}, k)
}

func (k *keeper) tune() {
	sample := []metrics.Sample{{Name: live}}
	metrics.Read(sample)
	percent := percentFor(sample[0].Value.Uint64(), k.floor)
	// SetGCPercent stops the world for a moment, so ignore small changes.
	if change := percent - k.percent; change > k.percent/8 || -change > k.percent/8 {
		k.percent = percent
		debug.SetGCPercent(percent)
	}
}

// percentFor returns by how many percent a heap may grow before it is collected.
func percentFor(live, floor uint64) int {
	live = max(live, leastLive)
	if 2*live >= floor {
		return percentDefault
	}
	return int((floor - live) * 100 / live)
}
