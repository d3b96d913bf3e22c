package vm

import (
	"strata/domain/clarity"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/value"
)

// OkTrue and ErrNone are the results of most transactions: (ok true) and (err none).
var (
	OkTrue  = []byte{byte(clarity.TypeOk), byte(clarity.TypeTrue)}
	ErrNone = []byte{byte(clarity.TypeErr), byte(clarity.TypeNone)}
)

// Succeeded returns the outcome of most transactions.
func Succeeded() nodejson.Outcome { return nodejson.Outcome{Status: nodejson.Success, Result: OkTrue} }

// Failed returns the outcome of a call that the contract refuses with an error code.
func Failed(code uint64) nodejson.Outcome {
	return nodejson.Outcome{Status: nodejson.AbortByResponse, Result: clarity.NewErr(clarity.NewUint64(code)).Encode()}
}

// Check returns the outcome of a call that the contract refuses with an error code unless ok is true.
func Check(ok bool, code uint64) nodejson.Outcome {
	if ok {
		return Succeeded()
	}
	return Failed(code)
}

// okTuple returns the outcome of a call that returns a tuple.
func okTuple(fields ...any) nodejson.Outcome {
	tuple := value.Tuple(fields...)
	return nodejson.Outcome{Status: nodejson.Success, Result: clarity.NewOk(tuple).Encode()}
}
