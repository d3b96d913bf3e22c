package pgtest

import "testing"

// AtEnd runs f when the test ends, as t.Cleanup does, and lets go of what f holds: package testing keeps what it has run until the
// last test of the package has ended, and with a pool all that was ever asked through its connections.
func AtEnd(t testing.TB, f func()) {
	t.Helper()
	t.Cleanup(func() {
		run := f
		f = nil
		run()
	})
}
