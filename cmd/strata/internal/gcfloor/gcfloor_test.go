package gcfloor

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
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
	got := uint32(most + 1)
	for deadline := time.Now().Add(time.Minute); got > most && time.Now().Before(deadline); {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		got = collections(256 << 20)
	}
	if got > most {
		t.Errorf("got %d collections with a floor, want at most %d", got, most)
	}
	kept = make([]byte, 40<<20)
	percent := 0
	for deadline := time.Now().Add(time.Minute); percent != percentDefault && time.Now().Before(deadline); {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		percent = debug.SetGCPercent(percentDefault)
		debug.SetGCPercent(percent)
	}
	if percent != percentDefault {
		t.Errorf("a heap beyond the floor may grow by %d percent, want %d", percent, percentDefault)
	}
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
