// Package short gives tests a short form, in which make check runs them.
package short

import "testing"

// Form returns how much of something a test does: full, or less of it in its short form.
func Form[N any](full, less N) N {
	if testing.Short() {
		return less
	}
	return full
}

// Skip skips a test in its short form, because of what it does.
func Skip(t testing.TB, does string) {
	t.Helper()
	if testing.Short() {
		t.Skip(does)
	}
}
