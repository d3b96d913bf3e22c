package gcfloor

import (
	"runtime"
	"runtime/debug"
	"testing"

	"strata/internal/testkit/eventually"
)

// collections returns the number of garbage collections while the given number of bytes becomes garbage.
func collections(bytes int) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range bytes / 1024 {
		thrown = make([]byte, 1024)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

var thrown, kept []byte

func TestKeep(t *testing.T) {
	t.Setenv("GOGC", "")
	Keep(64 << 20)
	// 256 MiB of garbage cause about five collections, and without a floor more than sixty. Cleanups run a moment after a
	// collection.
	const most = 10
	eventually.Holds(t, "with a floor there are few collections", func() bool {
		few := collections(256<<20) <= most
		runtime.GC()
		return few
	})
	kept = make([]byte, 40<<20)
	eventually.Holds(t, "a heap beyond the floor may grow as by default", func() bool {
		percent := debug.SetGCPercent(percentDefault)
		debug.SetGCPercent(percent) // a cleanup at this moment would be undone: the next collection begins after it
		runtime.GC()
		return percent == percentDefault
	})
	runtime.KeepAlive(kept)
}

func TestPercentFor(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		live, floor uint64
		want        int
	}{
		{0, 64 << 20, 1500}, {4 << 20, 64 << 20, 1500}, {16 << 20, 64 << 20, 300}, {32 << 20, 64 << 20, 100}, {1 << 40, 64 << 20, 100}, {0, 0, 100},
	} {
		if got := percentFor(tc.live, tc.floor); got != tc.want {
			t.Errorf("%d bytes with a floor of %d: got %d, want %d", tc.live, tc.floor, got, tc.want)
		}
	}
}
