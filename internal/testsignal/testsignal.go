// Package testsignal lets a test wait until production code has reached a certain point, where it would otherwise have to
// sleep and hope.
//
// Production code has a Signal as a field and calls Send at that point. In production the Signal keeps its zero value, so
// Send costs one comparison. A test calls Init before it starts the code, and then receives from C.
package testsignal

// Signal tells a test that code has reached a point. Its zero value does nothing.
type Signal struct {
	c chan struct{}
}

// Init makes Send deliver to C. Only tests call it, before any call of Send.
func (s *Signal) Init() { s.c = make(chan struct{}, 1) }

// Send delivers a signal, if Init was called. It never blocks. While an earlier signal waits to be received, further
// signals are merged with it.
func (s *Signal) Send() {
	if s.c == nil {
		return
	}
	select {
	case s.c <- struct{}{}:
	default:
	}
}

// C returns the channel of the signals; nil unless Init was called.
func (s *Signal) C() <-chan struct{} { return s.c }

// Discard drops a signal that was sent but not received yet, so that the next one received is a new one.
func (s *Signal) Discard() {
	select {
	case <-s.c:
	default:
	}
}
