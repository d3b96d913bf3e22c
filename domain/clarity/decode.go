package clarity

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	// MaxLength limits the bytes of a buffer or string and the elements of a list or tuple.
	MaxLength = 1 << 20

	// maxStrictSize is the most that a node reads for one value.
	maxStrictSize = 2 << 20

	integerLength = 16
	countLength   = 4
	addressLength = 21
)

// Decode reads one value from the start of b and returns it with the number of bytes it takes; what follows is not
// looked at. The value keeps a part of b, which must not change afterwards. A failure is a *DecodeError.
//
// Without options it accepts whatever existing API decoders accept: any byte in a string-ascii, ill-formed UTF-8 (shown
// as U+FFFD), tuples in any order and with duplicate keys (the last one counts), lists of mixed types.
func Decode(b []byte, opts ...Option) (Value, int, error) {
	return resolve(opts).decode(b, 0)
}

// DecodeAll reads one value that takes all of b; anything behind it is ErrTrailing.
func DecodeAll(b []byte, opts ...Option) (Value, error) {
	v, n, err := Decode(b, opts...)
	if err == nil && n != len(b) {
		return Value{}, fail(n, ErrTrailing)
	}
	return v, err
}

// DecodeArgs reads the arguments of a contract call as they are stored and served: a count of four bytes, then the
// values. As in existing decoders the count is ignored and values are read to the end of b, and four bytes or fewer
// are no arguments; under Strict the count must be there and be right.
func DecodeArgs(b []byte, opts ...Option) ([]Value, error) {
	o := resolve(opts)
	if len(b) <= countLength && !o.strict {
		return nil, nil
	}
	if len(b) < countLength {
		return nil, fail(0, ErrTruncated)
	}
	// The count is a claim: it sizes the slice only as far as the bytes can bear it out.
	count := int(binary.BigEndian.Uint32(b))
	args := make([]Value, 0, min(count, len(b)-countLength, 16))
	for at := countLength; at < len(b); {
		v, n, err := o.decode(b, at)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
		at += n
	}
	if o.strict && len(args) != count {
		return nil, fail(0, ErrCount)
	}
	return args, nil
}

// decode reads the value at b[at:]; offsets in errors count from the start of b.
func (o options) decode(b []byte, at int) (Value, int, error) {
	end, err := o.end(b, at, 0)
	if err != nil {
		return Value{}, 0, err
	}
	v := Value{raw: b[at:end:end]}
	if o.strict {
		if end-at > maxStrictSize {
			return Value{}, 0, fail(at, ErrTooLong)
		}
		if _, _, err := shapeOf(b[:end], at); err != nil {
			return Value{}, 0, err
		}
	}
	return v, end - at, nil
}

// end checks the value at b[at:] and returns where it stops. Recursion is bounded by o.depth.
func (o options) end(b []byte, at, level int) (int, error) {
	for ; ; level++ {
		if level >= o.depth {
			return 0, fail(at, ErrTooDeep)
		}
		if at >= len(b) {
			return 0, fail(at, ErrTruncated)
		}
		prefix := TypeID(b[at])
		at++
		switch prefix {
		case TypeOk, TypeErr, TypeSome:
			continue
		case TypeTrue, TypeFalse, TypeNone:
			return at, nil
		case TypeInt, TypeUint:
			return advance(b, at, integerLength)
		case TypeBuffer, TypeASCII, TypeUTF8:
			n, err := length(b, at)
			if err != nil {
				return 0, err
			}
			return advance(b, at+countLength, n)
		case TypePrincipal:
			return endOfAddress(b, at)
		case TypeContractPrincipal:
			at, err := endOfAddress(b, at)
			if err != nil {
				return 0, err
			}
			if at < len(b) && b[at] == 0 {
				return 0, fail(at, ErrName) // it would read as a standard principal
			}
			return endOfName(b, at)
		case TypeList:
			n, err := length(b, at)
			if err != nil {
				return 0, err
			}
			at += countLength
			for range n {
				if at, err = o.end(b, at, level+1); err != nil {
					return 0, err
				}
			}
			return at, nil
		case TypeTuple:
			n, err := length(b, at)
			if err != nil {
				return 0, err
			}
			at += countLength
			for range n {
				if at, err = endOfName(b, at); err != nil {
					return 0, err
				}
				if at, err = o.end(b, at, level+1); err != nil {
					return 0, err
				}
			}
			return at, nil
		default:
			return 0, fail(at-1, ErrType)
		}
	}
}

func advance(b []byte, at, n int) (int, error) {
	if len(b)-at < n {
		return 0, fail(at, ErrTruncated)
	}
	return at + n, nil
}

// length reads a length or count of four bytes and checks it against MaxLength.
func length(b []byte, at int) (int, error) {
	if _, err := advance(b, at, countLength); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(b[at:])
	if n > MaxLength {
		return 0, fail(at, ErrTooLong)
	}
	return int(n), nil
}

func endOfAddress(b []byte, at int) (int, error) {
	end, err := advance(b, at, addressLength)
	if err != nil {
		return 0, err
	}
	if b[at] > 31 {
		return 0, fail(at, ErrVersion) // a node refuses it too, and it has no text
	}
	return end, nil
}

func endOfName(b []byte, at int) (int, error) {
	if at >= len(b) {
		return 0, fail(at, ErrTruncated)
	}
	n := int(b[at])
	if n > MaxNameLength {
		return 0, fail(at, ErrTooLong)
	}
	end, err := advance(b, at+1, n)
	if err != nil {
		return 0, err
	}
	if !utf8.Valid(b[at+1 : end]) {
		return 0, fail(at, ErrName)
	}
	return end, nil
}
