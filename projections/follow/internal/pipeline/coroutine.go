package pipeline

import (
	"iter"
	"sync"
)

// coroutine runs one task after the other, each in turns with whoever calls next. A new one for each task would have to grow its
// stack each time, which takes longer than many a task.
type coroutine struct {
	task  func() // nil while it rests
	next  func() (struct{}, bool)
	end   func()
	yield func(struct{}) bool
}

func newCoroutine() *coroutine {
	c := &coroutine{}
	c.next, c.end = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			c.task()
			c.task = nil
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// coroutines are those that rest.
type coroutines struct {
	mu   sync.Mutex
	idle []*coroutine
}

// restingMax is how many rest at most, for all transactions of the process. Each has a stack of some 16 KiB.
const restingMax = 64

var resting coroutines

func (c *coroutines) take() *coroutine {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.idle)
	if n == 0 {
		return newCoroutine()
	}
	last := c.idle[n-1]
	c.idle = c.idle[:n-1]
	return last
}

func (c *coroutines) give(used *coroutine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == restingMax {
		used.end()
		return
	}
	c.idle = append(c.idle, used)
}
