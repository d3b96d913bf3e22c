// Package flight lets identical calls at the same time share one result.
//
// It differs from x/sync/singleflight in who may end a call: the first caller does the work, but it goes on when that
// caller has left, as long as another one waits, and ends when nobody does.
package flight

import (
	"context"
	"errors"
	"sync"

	"strata/proxy/internal/cancel"
)

// Key says which calls are identical.
type Key [32]byte

// Group has the calls that are under way. The zero value is ready.
type Group[V any] struct {
	mu    sync.Mutex
	calls map[Key]*call[V]
}

type call[V any] struct {
	key     Key
	done    chan struct{} // nil until another caller comes
	value   V
	err     error
	waiting int            // callers that have not left
	joined  int            // callers besides the first, ever
	working cancel.Context // of the work
	left    cancel.Hook    // waits for the first caller to leave
}

// Result of Do.
type Result[V any] struct {
	Value V
	Err   error
	// Others is how many callers have the same result.
	Others int
	// First says that this caller has done the work.
	First bool
}

// Do runs work, or waits for who does it already. The context of work ends when all callers' have; that of a caller
// who leaves early is its error. Work runs on the goroutine of the first caller, whatever becomes of its context.
func (g *Group[V]) Do(ctx context.Context, key Key, work func(context.Context) (V, error)) Result[V] {
	g.mu.Lock()
	if c, ok := g.calls[key]; ok {
		c.waiting++
		c.joined++
		if c.done == nil {
			c.done = make(chan struct{})
		}
		g.mu.Unlock()
		return g.wait(ctx, c)
	}
	// Not a child of ctx: who leaves first must not end it for the others.
	c := &call[V]{key: key, err: errPanicked, waiting: 1}
	defer c.working.Cancel()
	if g.calls == nil {
		g.calls = map[Key]*call[V]{}
	}
	g.calls[key] = c
	g.mu.Unlock()

	c.left.Watch(ctx, func() { g.leave(c) })
	defer c.left.Stop()
	defer g.finish(c)
	c.value, c.err = work(&c.working)
	return Result[V]{Value: c.value, Err: c.err, Others: g.land(c), First: true}
}

// errPanicked is what callers get that waited for work which panicked.
var errPanicked = errors.New("the call that this one waited for has panicked")

// land takes the call out of the group, so that nobody joins it any more.
func (g *Group[V]) land(c *call[V]) (joined int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
	return c.joined
}

func (g *Group[V]) forget(c *call[V]) {
	if g.calls[c.key] == c {
		delete(g.calls, c.key)
	}
}

// finish also runs when work panics.
func (g *Group[V]) finish(c *call[V]) {
	g.land(c)
	if c.done != nil { // and nobody comes any more
		close(c.done)
	}
}

func (g *Group[V]) wait(ctx context.Context, c *call[V]) Result[V] {
	select {
	case <-c.done:
		return Result[V]{Value: c.value, Err: c.err, Others: 1}
	case <-ctx.Done():
		g.leave(c)
		return Result[V]{Err: ctx.Err(), Others: 1}
	}
}

func (g *Group[V]) leave(c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.waiting--
	if c.waiting == 0 {
		g.forget(c) // who comes now must not get the error
		c.working.Cancel()
	}
}

// Waiting is how many callers wait.
func (g *Group[V]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, c := range g.calls {
		n += c.waiting
	}
	return n
}
