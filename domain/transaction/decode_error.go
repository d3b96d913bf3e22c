package transaction

import (
	"errors"
	"fmt"
)

// Reasons inside a DecodeError.
var (
	// ErrTruncated says that the input ends inside the part.
	ErrTruncated = errors.New("input ends too early")
	// ErrMalformed says that the part holds a value that its layout does not allow.
	ErrMalformed = errors.New("malformed")
	// ErrTrailing says that bytes follow the end of the transaction.
	ErrTrailing = errors.New("bytes behind the end")
)

// DecodeError tells which part of a transaction could not be read, and where it begins.
type DecodeError struct {
	Part   string // such as "origin nonce"
	Offset int    // in bytes from the start of the input
	Err    error  // wraps ErrTruncated, ErrMalformed, ErrTrailing or an error of the Clarity decoder
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("transaction: read %s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap gives the reason.
func (e *DecodeError) Unwrap() error { return e.Err }
