// Package must ends a test at an error that the test does not expect.
package must

import "testing"

// Get returns a value, or ends the test if there is an error: pool := must.Get(pgxpool.New(ctx, url))(t).
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Do ends the test if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
