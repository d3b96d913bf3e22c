package eventstore

import "time"

// LockOthers is a lock of those who listen.
const LockOthers = lockOthers

// Waiting returns the number of appends that wait for their turn.
func (l *Log) Waiting() int {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	return len(l.queue.waiting)
}

// Closing reports whether Close has been called.
func (l *Log) Closing() bool {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	return l.queue.closed
}

// SetPlaceInterval sets how often a listener without wakes will try to become the first.
func (l *Listener) SetPlaceInterval(d time.Duration) { l.again = d }

// AwaitPartitions returns when no partition is being added ahead.
func (l *Log) AwaitPartitions() { l.partitions.adding.Wait() }

// RetryPartitions lets a partition be added ahead again, although that has just failed.
func (l *Log) RetryPartitions() {
	l.partitions.ahead.Lock()
	defer l.partitions.ahead.Unlock()
	l.partitions.retryAt = time.Time{}
}
