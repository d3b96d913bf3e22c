package synthchain

import (
	"strata/domain/c32"
	"strata/domain/clarity"
)

// must stops on an error that only a mistake in this package can cause: everything that it encodes it made itself.
func must(err error) {
	if err != nil {
		panic("synthchain: " + err.Error())
	}
}

func made[T any](v T, err error) T {
	must(err)
	return v
}

func standard(a c32.Address) clarity.Principal { return clarity.Principal{Address: a} }
