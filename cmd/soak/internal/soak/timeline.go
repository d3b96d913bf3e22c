package soak

import (
	"sync"
	"time"
)

// cause is why nothing can answer during a span of time.
type cause string

const (
	processDead  cause = "the process was dead"      // from its end until it answers anything
	starting     cause = "the process was starting"  // from its end until it is ready
	databaseDown cause = "the database was down"     // from its end until the server is ready again
	diskFull     cause = "the disk was full"         // to the last byte, until the server is ready again
	nodesDown    cause = "no node answered requests" // only forwarded requests suffer
)

// grace is the time after a span in which its effects still count as its own: connections that broke with the database
// are noticed when they are used, and nodes when they are probed.
var grace = map[cause]time.Duration{
	processDead: 250 * time.Millisecond, starting: time.Second, databaseDown: 3 * time.Second, diskFull: 3 * time.Second, nodesDown: 3 * time.Second,
}

// timeline knows when which cause of errors was there.
type timeline struct {
	mu    sync.Mutex
	spans []*span
}

type span struct {
	cause    cause
	from, to time.Time // to is zero while it lasts
}

// begin begins a span, which end ends.
func (t *timeline) begin(c cause) (end func()) {
	s := &span{cause: c, from: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, s)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.to.IsZero() {
			s.to = time.Now()
		}
	}
}

// during reports whether the time between from and to meets a span of the cause.
func (t *timeline) during(c cause, from, to time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.spans {
		if s.cause == c && !to.Before(s.from) && (s.to.IsZero() || !from.After(s.to.Add(grace[c]))) {
			return true
		}
	}
	return false
}
