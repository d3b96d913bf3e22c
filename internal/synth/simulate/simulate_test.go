package simulate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"strata/internal/synth/simulate"
	"strata/internal/testkit/must"
)

var errRefused = errors.New("refused")

// TestRetries lets the third post fail twice.
func TestRetries(t *testing.T) {
	posts, attempts := 0, 0
	var waits []time.Duration
	var last simulate.Progress
	must.Do(t, simulate.Loop{
		Next: func() simulate.Post { posts++; return simulate.Post{Body: make([]byte, posts)} },
		Attempt: func(_ context.Context, p simulate.Post) error {
			if attempts++; attempts == 3 || attempts == 4 {
				return errRefused
			}
			return nil
		},
		Backoff: func(previous time.Duration) time.Duration {
			waits = append(waits, previous)
			return previous + time.Microsecond
		},
		Count: 4, Progress: func(p simulate.Progress) { last = p },
	}.Run(t.Context()))
	if posts != 4 || attempts != 6 || !slices.Equal(waits, []time.Duration{0, time.Microsecond}) {
		t.Errorf("got %d posts in %d attempts with waits after %v; want 4 in 6, after [0 1µs]", posts, attempts, waits)
	}
	if last.Posts != 4 || last.Retries != 2 || last.Bytes != 1+2+3+4 || last.Failure != nil {
		t.Errorf("last progress is %+v; want 4 posts of 10 bytes and 2 retries", last)
	}
}

func TestRate(t *testing.T) {
	started := time.Now()
	err := simulate.Loop{
		Next:    func() simulate.Post { return simulate.Post{} },
		Attempt: func(context.Context, simulate.Post) error { return nil },
		Rate:    100, Count: 6,
	}.Run(t.Context())
	if took := time.Since(started); err != nil || took < 50*time.Millisecond {
		t.Errorf("6 posts at 100 a second took %v (%v), want at least 50ms", took, err)
	}
}

func TestRemoteObserverEndsLoop(t *testing.T) {
	err := simulate.Loop{
		Next:    func() simulate.Post { return simulate.Post{} },
		Attempt: func(context.Context, simulate.Post) error { return simulate.ErrRemote },
	}.Run(t.Context())
	if !errors.Is(err, simulate.ErrRemote) {
		t.Errorf("error is %v, want %v", err, simulate.ErrRemote)
	}
}

func TestContextEndsLoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := simulate.Loop{
		Next:    func() simulate.Post { return simulate.Post{} },
		Attempt: func(context.Context, simulate.Post) error { cancel(); return errRefused },
		Backoff: func(time.Duration) time.Duration { return time.Hour },
	}.Run(ctx)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, errRefused) {
		t.Errorf("error is %v, want that of the context and that of the last attempt", err)
	}
}
