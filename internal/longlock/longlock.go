// Package longlock has a lock for what takes time, such as a request to the database. sync.Mutex is for what does not: a goroutine that
// waits for one counts as busy, so that virtual time (testing/synctest) would stand still.
package longlock

// Lock is a lock that one goroutine holds at a time. It implements sync.Locker.
type Lock chan struct{}

// New returns a lock that nobody holds.
func New() Lock { return make(Lock, 1) }

// Lock implements sync.Locker.
func (l Lock) Lock() { l <- struct{}{} }

// Unlock implements sync.Locker.
func (l Lock) Unlock() { <-l }

// TryLock takes the lock if nobody holds it, and reports whether it did.
func (l Lock) TryLock() bool {
	select {
	case l <- struct{}{}:
		return true
	default:
		return false
	}
}
