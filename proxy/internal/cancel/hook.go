package cancel

import "context"

// Hook waits for the end of a context, as context.AfterFunc does, in memory that can be used again. The zero value waits
// for nothing.
type Hook struct {
	f            func()
	on           attachable
	stop         func() bool // of another package's context
	next, before *Hook       // on the ring of the context; nil: it is not there
}

// attachable is a Context, or what has one in it.
type attachable interface {
	attach(h *Hook) bool
	detach(h *Hook) bool
}

// Watch has f called when ctx ends, at once if it has ended. Where ctx is of this package, f is called by who cancels: it
// has to be quick. A hook that waits already must be stopped first.
func (h *Hook) Watch(ctx context.Context, f func()) {
	h.f, h.on, h.stop = f, nil, nil
	on, ours := ctx.(attachable)
	if !ours {
		h.stop = context.AfterFunc(ctx, f)
		return
	}
	h.on = on
	if !on.attach(h) {
		f()
	}
}

// Stop ends the wait. It returns false if f was called, or is being called, or if the hook waits for nothing.
func (h *Hook) Stop() bool {
	switch {
	case h.stop != nil:
		return h.stop()
	case h.on != nil:
		return h.on.detach(h)
	}
	return false
}
