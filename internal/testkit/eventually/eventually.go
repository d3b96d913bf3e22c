// Package eventually lets tests wait for a condition that another goroutine or process brings about.
package eventually

import (
	"testing"
	"time"
)

const (
	// limit is generous: only a test that fails waits for so long.
	limit = 2 * time.Minute
	// A condition often asks a server, which is busy with that if it is asked all the time, and slower to bring about
	// what is waited for. So the pause between two looks grows with the wait, of which it is a part, up to the longest.
	shortest = 2 * time.Millisecond
	longest  = 30 * time.Millisecond
	part     = 10
)

// Holds polls condition until it returns true. It fails the test after two minutes, and names what it has waited for.
func Holds(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for began := time.Now(); !condition(); {
		waited := time.Since(began)
		if waited > limit {
			t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(min(max(waited/part, shortest), longest))
	}
}

// Stays polls condition for as long as d, and fails the test as soon as it returns false. It is for what only the clock of another
// process could bring about, such as a timeout of the database; for all else, let something happen that comes later.
func Stays(t testing.TB, what string, d time.Duration, condition func() bool) {
	t.Helper()
	ticker := time.NewTicker(d / part)
	defer ticker.Stop()
	for range part {
		<-ticker.C
		if !condition() {
			t.Fatalf("no longer: %s", what)
		}
	}
}

// Receive returns the next value of c, or the zero value as soon as c is closed. It fails the test after two minutes, and
// names what it has waited for.
func Receive[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case value := <-c:
		return value
	case <-timer.C:
		t.Fatalf("not within %s: %s", limit, what)
		panic("unreachable")
	}
}

// Listens returns when a new wake has begun to listen, which it signals on the channel of C. It may have done so before anybody
// asked for the channel, so after a second nothing more is to be waited for; if it listens later, it signals that, too.
func Listens(wake interface{ C() <-chan struct{} }) {
	select {
	case <-wake.C():
	case <-time.After(time.Second):
	}
}
