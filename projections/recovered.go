package projections

import (
	"fmt"
	"runtime/debug"
)

// Recovered calls f and turns its panic into an error, so that a bug of one projection leaves the others running.
func Recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
