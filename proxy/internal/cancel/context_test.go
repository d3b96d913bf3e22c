package cancel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Contexts of package context that are derived from a Context end with it, with its error and cause.
func TestDerived(t *testing.T) {
	c := &Context{}
	child, stop := context.WithCancel(c)
	defer stop()
	timed, stopTimed := context.WithTimeout(c, time.Hour)
	defer stopTimed()
	called := make(chan struct{})
	context.AfterFunc(child, func() { close(called) })
	if c.Err() != nil || child.Err() != nil || context.Cause(c) != nil {
		t.Fatalf("the context ended before Cancel: %v, %v", c.Err(), child.Err())
	}
	c.Cancel()
	for name, done := range map[string]<-chan struct{}{"itself": c.Done(), "child": child.Done(), "with a deadline": timed.Done(), "function": called} {
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Errorf("%s did not end", name)
		}
	}
	for name, ctx := range map[string]context.Context{"itself": c, "child": child, "with a deadline": timed} {
		if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("%s: error %v, cause %v", name, ctx.Err(), context.Cause(ctx))
		}
	}
	late, stopLate := context.WithCancel(c)
	defer stopLate()
	select {
	case <-late.Done():
	case <-time.After(2 * time.Minute):
		t.Error("a context derived from an ended one did not end")
	}
	c.Cancel() // again
}

func TestHook(t *testing.T) {
	standard, end := context.WithCancel(context.Background())
	defer end()
	ours := &Context{}
	for name, tt := range map[string]struct {
		ctx    context.Context
		cancel func()
	}{"ours": {ours, ours.Cancel}, "package context's": {standard, end}} {
		called := make(chan struct{}, 8)
		f := func() { called <- struct{}{} }
		var stopped, waiting, late Hook
		if stopped.Stop() {
			t.Errorf("%s: a hook that waits for nothing was stopped", name)
		}
		stopped.Watch(tt.ctx, f)
		if !stopped.Stop() || stopped.Stop() {
			t.Errorf("%s: a hook can be stopped once", name)
		}
		waiting.Watch(tt.ctx, f)
		tt.cancel()
		late.Watch(tt.ctx, f)
		for range 2 {
			select {
			case <-called:
			case <-time.After(2 * time.Minute):
				t.Fatalf("%s: a hook was not called", name)
			}
		}
		if waiting.Stop() || late.Stop() {
			t.Errorf("%s: a hook that was called was stopped", name)
		}
		if len(called) > 0 {
			t.Errorf("%s: a hook was called twice, or after Stop", name)
		}
	}
}

// While the context ends, a hook is either called once or stopped, never both.
func TestHooksWhileEnding(t *testing.T) {
	for range 200 {
		c := &Context{}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				var hooks [3]Hook
				var calls [3]atomic.Int64
				for i := range hooks {
					hooks[i].Watch(c, func() { calls[i].Add(1) })
				}
				for _, i := range []int{1, 0, 2} {
					if hooks[i].Stop() {
						calls[i].Add(1)
					}
				}
				<-c.Done()
				for deadline := time.Now().Add(10 * time.Second); calls[0].Load()+calls[1].Load()+calls[2].Load() < 3 && time.Now().Before(deadline); {
					time.Sleep(time.Microsecond)
				}
				for i := range calls {
					if got := calls[i].Load(); got != 1 {
						t.Errorf("hook %d was called or stopped %d times", i, got)
					}
				}
			})
		}
		group.Go(c.Cancel)
		group.Wait()
	}
}

func TestHookAllocatesNothing(t *testing.T) {
	c, h, f := &Context{}, &Hook{}, func() {}
	if got := testing.AllocsPerRun(100, func() {
		h.Watch(c, f)
		h.Stop()
	}); got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
