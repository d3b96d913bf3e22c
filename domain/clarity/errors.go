package clarity

import (
	"errors"
	"fmt"
)

// Reasons why a value cannot be decoded or constructed. A DecodeError adds the offset.
var (
	ErrTruncated    = errors.New("input ends inside the value")
	ErrTrailing     = errors.New("trailing bytes after the value")
	ErrType         = errors.New("unknown type prefix")
	ErrTooLong      = errors.New("length exceeds the limit")
	ErrTooDeep      = errors.New("nested too deeply")
	ErrName         = errors.New("not a legal name")
	ErrVersion      = errors.New("address version above 31")
	ErrText         = errors.New("illegal character in a string")
	ErrDuplicateKey = errors.New("tuple key occurs twice")
	ErrListType     = errors.New("list elements have no common type")
	ErrRange        = errors.New("number does not fit in 128 bits")
	ErrNoValue      = errors.New("the zero Value has no serialization")
)

// DecodeError tells where and why decoding stopped.
type DecodeError struct {
	Offset int   // in bytes from the start of the input
	Err    error // one of the reasons above
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("decode Clarity value at byte %d: %v", e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

func errorAt(offset int, reason error) error { return &DecodeError{Offset: offset, Err: reason} }
