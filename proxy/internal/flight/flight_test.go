package flight

import (
	"context"
	"errors"
	"testing"

	"strata/internal/testkit/eventually"
)

var key = Key{1}

// startCall starts a call whose work waits for release, and returns once the work runs.
func startCall(g *Group[int], ctx context.Context, release chan struct{}) (result chan Result[int]) { //nolint:revive // ctx is what the test is about
	started := make(chan struct{})
	result = make(chan Result[int], 1)
	go func() {
		result <- g.Do(ctx, key, func(ctx context.Context) (int, error) {
			close(started)
			select {
			case <-release:
				return 7, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
	}()
	<-started
	return result
}

// waitForJoined waits until n callers have joined the first.
func waitForJoined(t *testing.T, g *Group[int], n int) {
	t.Helper()
	eventually.Holds(t, "callers have joined the first", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		c := g.calls[key]
		return c != nil && c.joined == n
	})
}

func mustNotRun(context.Context) (int, error) { panic("the work should have been shared") }

// When all callers have left, the work is cancelled, and the next caller starts anew.
func TestAllLeave(t *testing.T) {
	var g Group[int]
	ctx, leave := context.WithCancel(t.Context())
	first := startCall(&g, ctx, nil)
	second := make(chan Result[int], 1)
	go func() { second <- g.Do(ctx, key, mustNotRun) }()
	waitForJoined(t, &g, 1)
	leave()
	for _, result := range []chan Result[int]{first, second} {
		if r := <-result; !errors.Is(r.Err, context.Canceled) {
			t.Errorf("got %+v, want %v", r, context.Canceled)
		}
	}
	r := g.Do(t.Context(), key, func(context.Context) (int, error) { return 8, nil })
	if r.Value != 8 || r.Err != nil {
		t.Errorf("afterwards: %+v", r)
	}
}

func TestPanic(t *testing.T) {
	var g Group[int]
	func() {
		defer func() { _ = recover() }()
		g.Do(t.Context(), key, mustNotRun)
	}()
	if len(g.calls) != 0 {
		t.Error("the call that panicked is still there")
	}
}
