package bench

import "fmt"

// failure is an error that ends a measurement.
type failure struct{ error }

// Check ends the measurement, or the helper process, with an error if there is one. Catch returns it.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// CheckOf is Check. It says what has failed.
func CheckOf(what string, err error) {
	if err != nil {
		Check(fmt.Errorf("%s: %w", what, err))
	}
}

// Must returns v, after a Check.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Catch returns the error with which Check has ended do.
func Catch(do func()) (err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case failure:
			err = failed.error
		default:
			panic(failed)
		}
	}()
	do()
	return nil
}
