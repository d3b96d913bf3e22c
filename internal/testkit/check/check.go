// Package check reports values that a test does not expect. The test goes on.
package check

import "slices"

// T is a testing.TB, or the test of a property by package rapid.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal reports a value that is not the wanted one: check.Equal(t, "the height of the tip", tip.Height, 60).
func Equal[V comparable](t T, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// EqualSlices reports a slice whose elements are not the wanted ones.
func EqualSlices[V comparable](t T, what string, got, want []V) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
