// Package must panics on errors that only a mistake in the generator can cause, because it encodes only its own values.
package must

// Succeed panics on an error.
func Succeed(err error) {
	if err != nil {
		panic("synthchain: " + err.Error())
	}
}

// Get returns v, or panics on an error.
func Get[T any](v T, err error) T {
	Succeed(err)
	return v
}
