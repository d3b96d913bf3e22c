package pgtest

import "testing"

// check fails a test with an error, if there is one.
func check(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("pgtest: %s: %v", what, err)
	}
}

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
