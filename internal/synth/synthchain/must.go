package synthchain

import (
	"strata/domain/c32"
	"strata/domain/clarity"
)

// noError panics on an error. Only a mistake in this package can cause one, because it encodes only its own values.
func noError(err error) {
	if err != nil {
		panic("synthchain: " + err.Error())
	}
}

// must returns v, or panics like noError.
func must[T any](v T, err error) T {
	noError(err)
	return v
}

func standard(a c32.Address) clarity.Principal { return clarity.Principal{Address: a} }
