package pgtest

import "testing"

// AtEnd runs f when the test ends, as t.Cleanup does, and then releases f. Package testing keeps its cleanup functions
// until the last test of the package has ended, and a pool that they hold keeps every prepared statement of its
// connections.
func AtEnd(t testing.TB, f func()) {
	t.Helper()
	t.Cleanup(func() {
		run := f
		f = nil
		run()
	})
}
