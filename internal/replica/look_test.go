package replica

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The lag of a replica is the age of the oldest thing that it lacks, as far back as the history goes.
func TestLag(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1_700_000_000, 0)
		h := history{keep: time.Minute}
		type write struct {
			at  time.Time
			wal int64
		}
		var writes []write
		now, wal := start, int64(0)
		for range rapid.IntRange(1, 100).Draw(t, "looks") {
			passed := time.Duration(rapid.IntRange(1, 2000).Draw(t, "ms")) * time.Millisecond
			now = now.Add(passed)
			if grown := rapid.Int64Range(0, 3).Draw(t, "grown"); grown > 0 {
				wal += grown
				writes = append(writes, write{now, wal})
			}
			h.add(now, wal)
		}
		has := rapid.Int64Range(0, wal).Draw(t, "has")
		want := time.Duration(0)
		for _, w := range writes {
			if w.wal > has {
				want = now.Sub(w.at)
				break
			}
		}
		got := h.behind(now, has)
		switch {
		case want <= h.keep && got != want:
			t.Fatalf("got %s, want %s", got, want)
		case want > h.keep && (got < h.keep || got > want):
			t.Fatalf("got %s, want at least %s and at most %s", got, h.keep, want)
		}
		if len(h.samples) > 2 && h.samples[len(h.samples)-1].at.Sub(h.samples[1].at) > h.keep {
			t.Fatalf("it keeps %d samples over %s", len(h.samples), h.samples[len(h.samples)-1].at.Sub(h.samples[1].at))
		}
	})
}
