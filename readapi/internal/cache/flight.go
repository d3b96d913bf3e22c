package cache

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/singleflight"
)

// PanicError is what a maker panicked with. All who waited for it get it: a panic in the flight's own goroutine would end
// the process.
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

// share lets one of all the concurrent callers with the same keys obtain the value for all of them.
func (c *Cache[V]) share(ctx context.Context, keys Keys, maker func(context.Context) (Made[V], error)) (V, error) {
	leads := false // written by the flight, read after it
	fly := func() (any, error) {
		leads = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		return c.obtain(ctx, keys, maker)
	}
	var none V
	flights := &c.flights
	if keys.none() {
		flights = new(singleflight.Group) // nobody else's
	}
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case result := <-flights.DoChan(keys.flight(), fly):
		if !leads {
			c.metrics.joined.Inc()
		}
		if result.Err != nil {
			return none, result.Err
		}
		return result.Val.(V), nil
	}
}

// obtain looks for the value again, then in Redis, and then makes it.
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
