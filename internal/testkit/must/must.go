// Package must ends a test at an error that the test does not expect.
package must

// T is a testing.TB, or the test of a property by package rapid.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Get returns a value, or ends the test if there is an error: pool := must.Get(pgxpool.New(ctx, url))(t).
func Get[V any](value V, err error) func(t T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Do ends the test if there is an error.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
