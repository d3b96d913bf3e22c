package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError reports that a maker panicked. All callers that waited for the maker get it.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value and the stack, as the runtime would have printed them.
func (e *PanicError) Error() string {
	return fmt.Sprintf("make an answer: panic: %v\n\n%s", e.Value, e.Stack)
}

// Unwrap returns the value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// flight is one call of a maker that several callers wait for.
type flight[V Value] struct {
	landed chan struct{} // closed when there is a value or an error
	value  V
	err    error
}

// errAbandoned is the error of waiting callers if the maker ended its goroutine (runtime.Goexit).
var errAbandoned = errors.New("make an answer: the maker left without one")

// share lets the first of several concurrent callers with the same keys obtain the value for all of them. The first caller
// does so in its own goroutine, and stays even when its ctx ends; the others return when their ctx ends.
//
// The work always runs to its end, even if all callers have left, because its result is cached for later ones. That is
// why proxy/internal/flight, which cancels work that nobody waits for, does not fit here. Nor does x/sync/singleflight:
// its Do holds back callers whose ctx has ended, and its DoChan starts a goroutine for each call, doesn't tell a caller
// that it has joined, and never answers callers whose work ended its goroutine.
func (c *Cache[V]) share(ctx context.Context, keys Keys, maker func(context.Context) (Made[V], error)) (value V, err error) {
	if keys == (Keys{}) {
		return c.fly(ctx, keys, maker)
	}
	c.mu.Lock()
	if f := c.flights[keys]; f != nil {
		c.mu.Unlock()
		c.metrics.joined.Inc()
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-f.landed:
			return f.value, f.err
		}
	}
	f := &flight[V]{landed: make(chan struct{}), err: errAbandoned}
	c.flights[keys] = f
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.flights, keys)
		c.mu.Unlock()
		close(f.landed)
	}()
	f.value, f.err = c.fly(ctx, keys, maker)
	return f.value, f.err
}

// fly obtains a value even if the caller's context ends meanwhile.
func (c *Cache[V]) fly(ctx context.Context, keys Keys, maker func(context.Context) (Made[V], error)) (V, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	return c.obtain(ctx, keys, maker)
}

// obtain looks for the value in memory again, then in Redis, and then calls maker.
func (c *Cache[V]) obtain(ctx context.Context, keys Keys, maker func(context.Context) (Made[V], error)) (value V, err error) {
	var turn turn
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if c.shared != nil {
			c.shared.release(turn) // if the value wasn't stored
		}
	}()
	if value, ok := c.look(keys); ok { // an earlier flight has landed since the caller looked
		c.metrics.memoryHits.Inc()
		return value, nil
	}
	if c.shared != nil && !keys.none() {
		var hit found[V]
		if hit, turn = c.shared.find(ctx, keys); hit.ok {
			c.metrics.redisHits.Inc()
			c.memory.Set(hit.key, hit.value)
			return hit.value, nil
		}
	}
	c.metrics.misses.Inc()
	made, err := maker(ctx)
	if err != nil {
		return value, err
	}
	if made.kept() {
		c.memory.Set(made.Key, made.Value)
		if c.shared != nil && c.shared.store(made, turn) {
			turn = none
		}
	}
	return made.Value, nil
}
