// Package flight lets identical concurrent calls share one result.
//
// It differs from x/sync/singleflight in when the work is cancelled: the first caller's goroutine does the work, and
// goes on after that caller has left as long as another caller waits. When no caller waits any more, the work is
// cancelled.
//
// readapi/internal/cache shares work too, but never cancels it, because it caches the result for later callers. Here the
// work occupies a seat at a node, and its result may not be cacheable, so nobody gains from work that nobody waits for.
package flight

import (
	"context"
	"errors"
	"sync"
)

// Key identifies a call. Calls with the same key are identical.
type Key [32]byte

// Group has the calls in progress. The zero value is ready to use.
type Group[V any] struct {
	mu    sync.Mutex
	calls map[Key]*call[V]
}

type call[V any] struct {
	key     Key
	done    chan struct{}
	value   V
	err     error
	waiting int // callers that have not left
	joined  int // callers that ever joined the first
	cancel  context.CancelFunc
}

// Result is the result of Do.
type Result[V any] struct {
	Value V
	Err   error
	// Others is the number of callers that joined the first; 1 for each of those callers.
	Others int
	// First means that this caller did the work.
	First bool
}

// Do runs work, or waits for an identical call that is running it. The context of work ends once the contexts of all
// callers have ended. A caller whose context ends while it waits gets the error of its context. Work runs on the
// goroutine of the first caller, even after the first caller's context has ended.
func (g *Group[V]) Do(ctx context.Context, key Key, work func(context.Context) (V, error)) Result[V] {
	g.mu.Lock()
	if c, ok := g.calls[key]; ok {
		c.waiting++
		c.joined++
		g.mu.Unlock()
		return g.wait(ctx, c)
	}
	// The work's context is not a child of ctx: the first caller may leave without cancelling the work for the others.
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c := &call[V]{key: key, done: make(chan struct{}), err: errPanicked, waiting: 1, cancel: cancel}
	if g.calls == nil {
		g.calls = map[Key]*call[V]{}
	}
	g.calls[key] = c
	g.mu.Unlock()

	defer context.AfterFunc(ctx, func() { g.leave(c) })()
	defer g.finish(c)
	c.value, c.err = work(working)
	return Result[V]{Value: c.value, Err: c.err, Others: g.remove(c), First: true}
}

// errPanicked is the error of callers that waited for work which panicked.
var errPanicked = errors.New("the identical call that this one waited for panicked")

// remove takes the call out of the group, so that no further caller joins it.
func (g *Group[V]) remove(c *call[V]) (joined int) {
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

// finish ends the call. It also runs if work panics.
func (g *Group[V]) finish(c *call[V]) {
	g.remove(c)
	close(c.done)
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
		g.forget(c) // a later caller must not get the error of the cancelled work
		c.cancel()
	}
}

// Waiting returns the number of callers that wait for a result, including those whose goroutine does the work.
func (g *Group[V]) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := 0
	for _, c := range g.calls {
		n += c.waiting
	}
	return n
}
