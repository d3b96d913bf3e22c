package eventstore

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestSimulatedWake lets readers look for rows that come with a wake-up, or silently. No reader that looks after C waits for a row
// that a wake-up announced, nor for longer than the interval for any other.
func TestSimulatedWake(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateWake) })
}

func simulateWake(t *rapid.T) {
	interval := rapid.SampledFrom([]time.Duration{time.Second, time.Hour}).Draw(t, "interval")
	w := &Wake{interval: interval, signal: make(chan struct{})}
	var rows, announced atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	seen := make([]atomic.Int64, rapid.IntRange(1, 4).Draw(t, "readers"))
	for i := range seen {
		looks := time.Duration(rapid.IntRange(0, 3).Draw(t, "looks")) * 100 * time.Millisecond
		running.Go(func() {
			for ctx.Err() == nil {
				c := w.C()
				found := rows.Load()
				time.Sleep(looks) // what comes meanwhile is not found, and must wake it
				seen[i].Store(found)
				w.Wait(ctx, c)
			}
		})
	}
	silent, quiet := time.Now(), int64(0) // when the last row came that nobody announced, and how many there were then
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		switch rapid.IntRange(0, 3).Draw(t, "step") {
		case 0:
			rows.Add(1)
			announced.Store(rows.Load())
			w.Signal()
		case 1:
			quiet, silent = rows.Add(1), time.Now()
		default:
			time.Sleep(rapid.SampledFrom([]time.Duration{50 * time.Millisecond, 650 * time.Millisecond, 2 * time.Second, interval}).Draw(t, "time"))
		}
		rested := rapid.Bool().Draw(t, "rests")
		if rested {
			time.Sleep(700 * time.Millisecond) // two looks: one under way, and the one that it missed
		}
		synctest.Wait()
		for i := range seen {
			switch got := seen[i].Load(); {
			case rested && got < announced.Load():
				t.Fatalf("reader %d has seen %d rows, and %d were announced", i, got, announced.Load())
			case time.Since(silent) > interval+700*time.Millisecond && got < quiet:
				t.Fatalf("reader %d has seen %d of %d rows after %v", i, got, quiet, time.Since(silent))
			}
		}
	}
}
