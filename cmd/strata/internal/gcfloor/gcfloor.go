// Package gcfloor keeps a small heap from being collected often. Go collects when the heap has doubled since the last time; a
// server whose heap is small then collects several times a second, and each time makes requests wait for some milliseconds.
package gcfloor

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// live is what was reachable in the last collection, in bytes.
const live = "/gc/heap/live:bytes"

const (
	percentDefault = 100
	// leastLive is what Go takes the smallest heap for.
	leastLive = 4 << 20
)

// Keep lets the heap grow up to so many bytes before it is collected; a larger one is collected when it has doubled, as ever. It is
// for the life of the process, and does nothing where GOGC says otherwise.
func Keep(floor uint64) {
	if os.Getenv("GOGC") == "" {
		after(&keeper{floor: floor, percent: percentDefault})
	}
}

// keeper decides after each collection when the next one is due.
type keeper struct {
	floor   uint64
	percent int
}

// cycle is an object that the next collection finds unreachable.
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
	// To set it stops the program for a moment.
	if change := percent - k.percent; change > k.percent/8 || -change > k.percent/8 {
		k.percent = percent
		debug.SetGCPercent(percent)
	}
}

// percentFor is by how much a heap may grow.
func percentFor(live, floor uint64) int {
	live = max(live, leastLive)
	if 2*live >= floor {
		return percentDefault
	}
	return int((floor - live) * 100 / live)
}
