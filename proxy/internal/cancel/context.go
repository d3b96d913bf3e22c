// Package cancel provides a context that is cheap enough for tens of thousands of requests a second. It ends when
// Cancel is called, has no deadline, and allocates nothing for a hook that waits for its end. For each request,
// context.WithCancel would allocate a channel, and context.AfterFunc would make four more allocations.
package cancel

import (
	"context"
	"sync"
	"time"
)

// Context is a context that ends when Cancel is called. It has no deadline and no values; a type with values embeds
// Context and has its own method Value. The zero value is ready to use. A Context must not be copied.
type Context struct {
	mu    sync.Mutex
	err   error
	done  chan struct{} // nil until the first call of Done
	hooks *Hook         // the hook that was attached first; hooks form a ring
}

// Cancel ends the context, then calls the hooks that wait for that. Further calls do nothing.
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
		// h may use the context, so it is called without the lock.
		c.mu.Unlock()
		h.f()
		c.mu.Lock()
	}
	c.mu.Unlock()
}

// Deadline implements context.Context. There is no deadline.
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

// Err implements context.Context. It returns context.Canceled after Cancel.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements context.Context. There are no values.
func (c *Context) Value(any) any { return nil }

// AfterFunc calls f on its own goroutine after the context has ended, unless stop is called first. Package context
// looks for this method, and then needs no goroutine to watch this context for the contexts derived from it.
func (c *Context) AfterFunc(f func()) (stop func() bool) {
	h := &Hook{}
	h.Watch(c, func() { go f() })
	return h.Stop
}

// attach registers h to be called at the end of the context. It returns false if the context has already ended.
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

// detach removes h. It returns false if h was not attached, or is being called or has been called.
func (c *Context) detach(h *Hook) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.next == nil {
		return false
	}
	c.remove(h)
	return true
}

// remove takes the attached hook h off the ring.
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
