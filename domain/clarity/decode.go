package clarity

import (
	"encoding/binary"
	"unicode/utf8"
)

const (
	// MaxLength limits the bytes of a buffer or string, and the elements of a list or tuple.
	MaxLength = 1 << 20

	// maxStrictSize is the largest serialized value in bytes that a node reads.
	maxStrictSize = 2 << 20

	integerLength = 16
	countLength   = 4
	addressLength = 21
)

// Decode decodes the value at the start of b and returns it with its size in bytes. It ignores the bytes after the
// value. The value shares memory with b, which must not change afterwards. The error is a *DecodeError.
//
// Without options, Decode accepts what the decoders of existing APIs accept: any byte in a string-ascii, ill-formed
// UTF-8 (shown as U+FFFD), tuple fields in any order, duplicate keys (the last one counts), and lists of mixed types.
func Decode(b []byte, opts ...Option) (Value, int, error) {
	return resolve(opts).decode(b, 0)
}

// DecodeAll decodes a value that must take up all of b. It returns ErrTrailing if bytes follow the value.
func DecodeAll(b []byte, opts ...Option) (Value, error) {
	v, n, err := Decode(b, opts...)
	if err == nil && n != len(b) {
		return Value{}, errorAt(n, ErrTrailing)
	}
	return v, err
}

// decode decodes the value at b[pos:]. Offsets in errors count from the start of b.
func (o options) decode(b []byte, pos int) (Value, int, error) {
	end, err := o.end(b, pos, 0)
	if err != nil {
		return Value{}, 0, err
	}
	v := Value{raw: b[pos:end:end]}
	if o.strict {
		if end-pos > maxStrictSize {
			return Value{}, 0, errorAt(pos, ErrTooLong)
		}
		if _, _, err := shapeOf(b[:end], pos); err != nil {
			return Value{}, 0, err
		}
	}
	return v, end - pos, nil
}

// end checks the value at b[pos:] and returns the position after it. o.depth bounds the recursion.
func (o options) end(b []byte, pos, level int) (int, error) {
	for ; ; level++ {
		if level >= o.depth {
			return 0, errorAt(pos, ErrTooDeep)
		}
		if pos >= len(b) {
			return 0, errorAt(pos, ErrTruncated)
		}
		prefix := TypeID(b[pos])
		pos++
		switch prefix {
		case TypeOk, TypeErr, TypeSome:
			continue
		case TypeTrue, TypeFalse, TypeNone:
			return pos, nil
		case TypeInt, TypeUint:
			return advance(b, pos, integerLength)
		case TypeBuffer, TypeASCII, TypeUTF8:
			n, err := length(b, pos)
			if err != nil {
				return 0, err
			}
			return advance(b, pos+countLength, n)
		case TypePrincipal:
			return endOfAddress(b, pos)
		case TypeContractPrincipal:
			pos, err := endOfAddress(b, pos)
			if err != nil {
				return 0, err
			}
			if pos < len(b) && b[pos] == 0 {
				return 0, errorAt(pos, ErrName) // an empty name would make it a standard principal
			}
			return endOfName(b, pos)
		case TypeList, TypeTuple:
			n, err := length(b, pos)
			if err != nil {
				return 0, err
			}
			pos += countLength
			for range n {
				if prefix == TypeTuple {
					if pos, err = endOfName(b, pos); err != nil {
						return 0, err
					}
				}
				if pos, err = o.end(b, pos, level+1); err != nil {
					return 0, err
				}
			}
			return pos, nil
		default:
			return 0, errorAt(pos-1, ErrType)
		}
	}
}

// advance returns the position n bytes after pos, or ErrTruncated.
func advance(b []byte, pos, n int) (int, error) {
	if len(b)-pos < n {
		return 0, errorAt(pos, ErrTruncated)
	}
	return pos + n, nil
}

// length reads a length or count of four bytes and checks it against MaxLength.
func length(b []byte, pos int) (int, error) {
	if _, err := advance(b, pos, countLength); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(b[pos:])
	if n > MaxLength {
		return 0, errorAt(pos, ErrTooLong)
	}
	return int(n), nil
}

func endOfAddress(b []byte, pos int) (int, error) {
	end, err := advance(b, pos, addressLength)
	if err != nil {
		return 0, err
	}
	if b[pos] > 31 {
		return 0, errorAt(pos, ErrVersion) // it has no text, and nodes refuse it too
	}
	return end, nil
}

func endOfName(b []byte, pos int) (int, error) {
	if pos >= len(b) {
		return 0, errorAt(pos, ErrTruncated)
	}
	n := int(b[pos])
	if n > MaxNameLength {
		return 0, errorAt(pos, ErrTooLong)
	}
	end, err := advance(b, pos+1, n)
	if err != nil {
		return 0, err
	}
	if !utf8.Valid(b[pos+1 : end]) {
		return 0, errorAt(pos, ErrName)
	}
	return end, nil
}
