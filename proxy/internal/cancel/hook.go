package cancel

import "context"

// Hook waits for the end of a context, like context.AfterFunc, but its memory can be used again. The zero value waits
// for nothing.
type Hook struct {
	f            func()
	on           attachable
	stop         func() bool // set for a context of another package
	next, before *Hook       // neighbours on the context's ring; nil if the hook is not attached
}

// attachable is a Context, or a type that embeds one.
type attachable interface {
	attach(h *Hook) bool
	detach(h *Hook) bool
}

// Watch arranges for f to be called when ctx ends, and at once if it has already ended. If ctx is a Context of this
// package, f runs inside Cancel, so it must be fast. A hook that already waits must be stopped first.
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

// Stop ends the wait. It returns false if f has been called or is being called, or if the hook waits for nothing.
func (h *Hook) Stop() bool {
	switch {
	case h.stop != nil:
		return h.stop()
	case h.on != nil:
		return h.on.detach(h)
	}
	return false
}
