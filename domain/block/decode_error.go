package block

import (
	"fmt"

	"strata/domain/transaction"
)

// The reasons inside a DecodeError are those of package transaction: a block can fail for its own layout or for that of
// a transaction in it.
var (
	// ErrTruncated means that the input ends inside the part.
	ErrTruncated = transaction.ErrTruncated
	// ErrMalformed means that the part holds a value that its layout does not allow.
	ErrMalformed = transaction.ErrMalformed
	// ErrTrailing means that bytes follow the end of the block.
	ErrTrailing = transaction.ErrTrailing
)

// DecodeError names the part of a block that could not be decoded.
type DecodeError struct {
	Part   string // such as "signer signatures"
	Offset int    // of the part, in bytes from the start of the input
	Err    error  // wraps ErrTruncated, ErrMalformed, ErrTrailing or a *transaction.DecodeError
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("block: decode %s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

func truncated(part string, offset, need, have int) error {
	err := fmt.Errorf("%w: need %d bytes, have %d", ErrTruncated, need, have)
	return &DecodeError{Part: part, Offset: offset, Err: err}
}

func trailing(offset, n int) error {
	return &DecodeError{Part: "end", Offset: offset, Err: fmt.Errorf("%w: %d", ErrTrailing, n)}
}
