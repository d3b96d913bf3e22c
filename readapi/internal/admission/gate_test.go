package admission_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/pause"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi/internal/admission"
)

func TestGate(t *testing.T) {
	t.Parallel()
	g := admission.New(admission.Config{Running: 1, Waiting: 1, Patience: time.Minute})
	must.Do(t, g.Enter(t.Context()))
	second := make(chan error, 1)
	go func() { second <- g.Enter(t.Context()) }()
	eventually.Holds(t, "the second read waits", func() bool { return g.Waiting() == 1 })
	if err := g.Enter(t.Context()); !errors.Is(err, admission.ErrBusy) || g.Refused() != 1 {
		t.Errorf("the third read: got %v and %d refused, want %v and 1", err, g.Refused(), admission.ErrBusy)
	}
	g.Leave()
	if err := eventually.Receive(t, "the second read runs", second); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Enter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has left: got %v", err)
	}
	g.Leave()
	if err := g.Enter(t.Context()); err != nil || g.Waiting() != 0 {
		t.Errorf("after all have left: %v, %d wait", err, g.Waiting())
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	g := admission.New(admission.Config{Running: 1, Waiting: 10, Patience: time.Millisecond})
	must.Do(t, g.Enter(t.Context()))
	if err := g.Enter(t.Context()); !errors.Is(err, admission.ErrBusy) {
		t.Errorf("got %v, want %v", err, admission.ErrBusy)
	}
}

// However many come and go, no more than the limit run.
func TestLimit(t *testing.T) {
	t.Parallel()
	const limit = 3
	g := admission.New(admission.Config{Running: limit, Waiting: 100, Patience: time.Minute})
	running := make(chan struct{}, limit)
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			if err := g.Enter(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer g.Leave()
			select {
			case running <- struct{}{}:
			default:
				t.Errorf("more than %d run", limit)
				return
			}
			<-running
		})
	}
	group.Wait()
}

// While others suffer, fewer reads run, down to one; afterwards as many as before.
func TestFewerRunUnderPressure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testFewerRunUnderPressure)
}

func testFewerRunUnderPressure(t *testing.T) {
	const most = 8
	var pressed atomic.Bool
	g := admission.New(admission.Config{Running: most, Waiting: 100, Patience: time.Minute, Pressed: pressed.Load})
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	var running, highest atomic.Int64
	for range 4 * most {
		group.Go(func() {
			for g.Enter(ctx) == nil {
				now := running.Add(1)
				for {
					if seen := highest.Load(); now <= seen || highest.CompareAndSwap(seen, now) {
						break
					}
				}
				pause.For(t.Context(), time.Millisecond)
				running.Add(-1)
				g.Leave()
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	synctest.Wait()
	if n := running.Load(); n != most {
		t.Errorf("%d run, want all %d that may", n, most)
	}
	pressed.Store(true)
	eventually.Holds(t, "one runs", func() bool { return g.Running() == 1 && running.Load() <= 1 })
	pressed.Store(false)
	eventually.Holds(t, "all run that may again", func() bool { return running.Load() == most })
	if highest.Load() > most {
		t.Errorf("%d ran at a time, want at most %d", highest.Load(), most)
	}
}

// Under pressure that lasts, one read runs for a small share of the time.
func TestReadsRestUnderPressure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testReadsRestUnderPressure)
}

func testReadsRestUnderPressure(t *testing.T) {
	const took, watched = 10 * time.Millisecond, 500 * time.Millisecond
	g := admission.New(admission.Config{Running: 4, Waiting: 100, Patience: time.Minute, Pressed: func() bool { return true }})
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	var begun atomic.Int64
	for range 8 {
		group.Go(func() {
			for ctx.Err() == nil && g.Enter(ctx) == nil {
				begun.Add(1)
				pause.For(t.Context(), took)
				g.Leave()
			}
		})
	}
	eventually.Holds(t, "one may run", func() bool { return g.Running() == 1 })
	pause.For(ctx, 8*admission.Period) // until it rests for the longest time
	before := begun.Load()
	pause.For(ctx, watched)
	if n := begun.Load() - before; n == 0 || n > int64(watched/took)/4 {
		t.Errorf("%d reads of %v began in %v, want some, and at most a quarter of what one after the other would", n, took, watched)
	}
}

// A read that takes long does not keep all others waiting, although only one may run.
func TestLongReadsDontBlockOthers(t *testing.T) {
	t.Parallel()
	const most = 3
	g := admission.New(admission.Config{Running: most, Waiting: 100, Patience: time.Minute, Pressed: func() bool { return true }})
	for range most {
		must.Do(t, g.Enter(t.Context()))
	}
	others := make(chan error, most)
	for range most {
		go func() { others <- g.Enter(t.Context()) }()
	}
	eventually.Holds(t, "one may run", func() bool { return g.Waiting() == most && g.Running() == 1 })
	for range most - 1 {
		g.Leave()
	}
	// One that has begun before goes on, and is all that may run.
	for range most {
		if err := eventually.Receive(t, "another read runs", others); err != nil {
			t.Error(err)
		}
		g.Leave()
	}
	g.Leave()
}
