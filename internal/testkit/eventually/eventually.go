// Package eventually lets tests wait for a condition that another goroutine or process brings about.
package eventually

import (
	"testing"
	"time"
)

const (
	// limit is generous: only a test that fails waits for so long.
	limit    = time.Minute
	interval = 2 * time.Millisecond
)

// Holds polls condition until it returns true. It fails the test after a minute, and names what it has waited for.
func Holds(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(interval) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}
