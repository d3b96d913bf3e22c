package admission_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/readapi/internal/admission"
)

func TestGate(t *testing.T) {
	t.Parallel()
	g := admission.New(admission.Config{Running: 1, Waiting: 1, Patience: time.Minute})
	if err := g.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	if err := g.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
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
