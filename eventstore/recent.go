package eventstore

import (
	"sync"
	"time"
)

// Limits of what is kept of recent events, in addition to the memory of the spool.
const (
	recentEvents = 64
	recentBytes  = 4 << 20
)

// recentWait is how long a reader waits for the append that is under way. The notification of Postgres often wakes readers a
// moment before the append itself has its answer.
const recentWait = 5 * time.Millisecond

// recent keeps the newest events that this process has appended, so that a reader at the head need not ask the database
// for what was sent there a moment ago. It is complete between its first and its last event.
type recent struct {
	mu     sync.Mutex
	events []Event // consecutive
	bytes  int64
	under  chan struct{} // closed when the append that is under way has ended; nil without one
}

// begin notes that an append is under way, until end is called.
func (r *recent) begin() (end func()) {
	under := make(chan struct{})
	r.mu.Lock()
	r.under = under
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		r.under = nil
		r.mu.Unlock()
		close(under)
	}
}

// add adds committed events, whose bodies are in memory. What comes from other processes, or in large batches, is
// missing.
func (r *recent) add(events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.events); n > 0 && r.events[n-1].Seq+1 != events[0].Seq {
		r.events, r.bytes = nil, 0
	}
	for _, e := range events {
		r.events, r.bytes = append(r.events, e), r.bytes+e.Size
	}
	first := 0
	for ; len(r.events)-first > recentEvents || r.bytes > recentBytes; first++ {
		r.bytes -= r.events[first].Size
	}
	r.events = append([]Event(nil), r.events[first:]...)
}

// after returns the events after a position; none when the first of them is missing.
func (r *recent) after(seq int64) []Event {
	events, under := r.look(seq)
	if len(events) > 0 || under == nil {
		return events
	}
	patience := time.NewTimer(recentWait)
	defer patience.Stop()
	select {
	case <-under:
	case <-patience.C:
	}
	events, _ = r.look(seq)
	return events
}

func (r *recent) look(seq int64) (events []Event, under chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) == 0 || seq+1 < r.events[0].Seq {
		return nil, r.under
	}
	skip := min(seq+1-r.events[0].Seq, int64(len(r.events)))
	return append([]Event(nil), r.events[skip:]...), r.under
}

// Recent returns the events after a position as far as this process has appended them a moment ago; none when the next
// one was not, or is too long ago. These have the fields that a reader of the log gets. Their bodies must not be changed.
func (l *Log) Recent(after int64) []Event { return l.recent.after(after) }
