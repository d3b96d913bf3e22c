package transaction

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
)

// reader reads the fields of a transaction one after the other. After the first failure all reads return zero values,
// so callers check err once per part instead of once per field.
type reader struct {
	b   []byte
	off int
	err error
}

// left returns the number of unread bytes.
func (r *reader) left() int { return len(r.b) - r.off }

// fail records a failure in the part that begins at offset, unless there was one before.
func (r *reader) fail(part string, offset int, err error) {
	if r.err == nil {
		r.err = &DecodeError{Part: part, Offset: offset, Err: err}
	}
}

// take returns the next n bytes, or nil after a failure.
func (r *reader) take(n int, part string) []byte {
	if r.err != nil {
		return nil
	}
	if n > r.left() {
		r.fail(part, r.off, fmt.Errorf("%w: need %d bytes, have %d", ErrTruncated, n, r.left()))
		return nil
	}
	b := r.b[r.off : r.off+n : r.off+n]
	r.off += n
	return b
}

func (r *reader) u8(part string) uint8 {
	if b := r.take(1, part); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16(part string) uint16 {
	if b := r.take(2, part); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32(part string) uint32 {
	if b := r.take(4, part); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(part string) uint64 {
	if b := r.take(8, part); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) hash20(part string) (h hash.Hash20) {
	copy(h[:], r.take(len(h), part))
	return h
}

func (r *reader) hash32(part string) (h hash.Hash32) {
	copy(h[:], r.take(len(h), part))
	return h
}

// name reads a length byte and that many bytes of UTF-8. It does not check the grammar of names.
func (r *reader) name(part string) []byte {
	start := r.off
	n := int(r.u8(part))
	if r.err == nil && n > clarity.MaxNameLength {
		r.fail(part, start, fmt.Errorf("%w: name of %d bytes, at most %d", ErrMalformed, n, clarity.MaxNameLength))
	}
	b := r.take(n, part)
	if !utf8.Valid(b) {
		r.fail(part, start, fmt.Errorf("%w: name %q is not UTF-8", ErrMalformed, b))
	}
	return b
}

// address reads an address as version and hash, without the prefix byte of a value.
func (r *reader) address(part string) c32.Address {
	start := r.off
	b := r.take(21, part)
	if b == nil {
		return c32.Address{}
	}
	if b[0] > c32.MaxVersion {
		r.fail(part, start, fmt.Errorf("%w: address version %d, at most %d", ErrMalformed, b[0], c32.MaxVersion))
	}
	return c32.Address{Version: b[0], Hash160: [20]byte(b[1:])}
}

// principal reads a principal in the form of a Clarity value.
func (r *reader) principal(part string) clarity.Principal {
	return decodeNext(r, part, clarity.ReadPrincipal)
}

// value reads one Clarity value.
func (r *reader) value(part string) clarity.Value {
	return decodeNext(r, part, func(b []byte) (clarity.Value, int, error) { return clarity.Decode(b) })
}

// decodeNext reads a part with decode, which returns the part at the start of its input and its size in bytes.
func decodeNext[T any](r *reader, part string, decode func([]byte) (T, int, error)) (decoded T) {
	if r.err != nil {
		return decoded
	}
	decoded, n, err := decode(r.b[r.off:])
	if err != nil {
		r.fail(part, r.off, err)
		return decoded
	}
	r.off += n
	return decoded
}
