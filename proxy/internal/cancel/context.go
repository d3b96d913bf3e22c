// Package cancel is a context for requests by the ten thousand a second: it ends when somebody says so, has no deadline,
// and takes no memory for what waits for its end. context.WithCancel takes a channel, and context.AfterFunc four pieces of
// memory more, for each request.
package cancel

import (
	"context"
	"sync"
	"time"
)

// Context ends when Cancel is called. It has no deadline and no values; whoever has some embeds it and has a method Value
// of their own. The zero value is ready; it must not be copied.
type Context struct {
	mu    sync.Mutex
	err   error
	done  chan struct{} // once somebody has asked for it
	hooks *Hook         // a ring, whose first was attached first
}

// Cancel ends the context, and then calls what waits for that. Calls after the first do nothing.
func (c *Context) Cancel() {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = context.Canceled
	if c.done != nil {
		close(c.done)
	}
	for c.hooks != nil {
		h := c.hooks
		c.remove(h)
		// Without the lock: h may ask the context how it is.
		c.mu.Unlock()
		h.f()
		c.mu.Lock()
	}
	c.mu.Unlock()
}

// Deadline implements context.Context: there is none.
func (c *Context) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err implements context.Context: it is context.Canceled after Cancel.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements context.Context: there is none.
func (c *Context) Value(any) any { return nil }

// AfterFunc calls f on a goroutine of its own when the context has ended, unless stop is called before. The package context
// looks for this method, so that its own contexts that are derived from this one need no goroutine to watch it.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	h := &Hook{}
	h.Watch(c, func() { go f() })
	return h.Stop
}

// attach has the context call h, unless it has ended already.
func (c *Context) attach(h *Hook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	if c.hooks == nil {
		h.next, h.before = h, h
		c.hooks = h
	} else {
		h.next, h.before = c.hooks, c.hooks.before
		h.before.next, h.next.before = h, h
	}
	return true
}

// detach says whether the context would have called h, and does not any more.
func (c *Context) detach(h *Hook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.next == nil {
		return false
	}
	c.remove(h)
	return true
}

// remove takes h, which is attached, off the ring.
func (c *Context) remove(h *Hook) {
	if c.hooks == h {
		c.hooks = h.next
	}
	if h.next == h {
		c.hooks = nil
	}
	h.next.before, h.before.next = h.before, h.next
	h.next, h.before = nil, nil
}
