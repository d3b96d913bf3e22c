package transaction

import (
	"errors"
	"fmt"
)

// Reasons inside a DecodeError.
var (
	// ErrTruncated means that the input ends inside the part.
	ErrTruncated = errors.New("input ends too early")
	// ErrMalformed means that the part holds a value that its layout does not allow.
	ErrMalformed = errors.New("malformed")
	// ErrTrailing means that bytes follow the end of the transaction.
	ErrTrailing = errors.New("trailing bytes")
)

// DecodeError names the part of a transaction that could not be decoded.
type DecodeError struct {
	Part   string // such as "origin nonce"
	Offset int    // of the part, in bytes from the start of the input
	Err    error  // wraps ErrTruncated, ErrMalformed, ErrTrailing or an error of the Clarity decoder
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("transaction: decode %s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }
