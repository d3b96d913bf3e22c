package follow

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/must"
	"strata/projections"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testTurns)
}

func testTurns(t *testing.T) {
	steps := func(size int64) []projections.Step {
		return []projections.Step{{Number: 1}, {Number: 2, Block: &projections.Block{BodySize: size}}}
	}
	turns := newTurns()
	var inside, most atomic.Int64
	var all sync.WaitGroup
	fold := func(done func(), err error) {
		if err != nil {
			t.Error(err)
			return
		}
		now := inside.Add(1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		pause.For(t.Context(), time.Millisecond) // of the test's time, which passes when all others fold, or wait for their turn
		inside.Add(-1)
		done()
	}
	for range 8 {
		all.Go(func() { fold(take(t.Context(), turns, steps(largeContent))) })
		all.Go(func() { fold(take(t.Context(), turns, []projections.LogItem{{Seq: 1, Size: largeContent}})) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d large folds were under way at the same time, want one", most.Load())
	}

	before := debug.SetMemoryLimit(-1)
	done := must.Get(take(t.Context(), turns, steps(largeContent)))(t)
	if limit := debug.SetMemoryLimit(-1); limit != min(before, largeMemory) {
		t.Errorf("while something large is folded, the limit of memory is %d", limit)
	}
	if small, err := take(t.Context(), turns, steps(largeContent-1)); err != nil {
		t.Errorf("a small fold beside a large one: %v", err)
	} else {
		small()
	}
	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(given)
	if _, err := take(ctx, turns, steps(largeContent)); !errors.Is(err, given) {
		t.Errorf("a large fold that does not get its turn: got %v, want %v", err, given)
	}
	if done(); debug.SetMemoryLimit(-1) != before {
		t.Errorf("the limit of memory is %d, want %d as before", debug.SetMemoryLimit(-1), before)
	}
}
