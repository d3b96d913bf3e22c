package block

import (
	"encoding/binary"
	"fmt"
)

// MaxBits is the largest size of a BitVec: one bit for each reward slot of a cycle.
const MaxBits = 4000

// bitVecHeaderSize is the size in bytes of the bit count and the byte count.
const bitVecHeaderSize = 6

// BitVec is a list of 1 to MaxBits bits. The first bit is the highest bit of the first byte. Spare bits of the last
// byte keep the values with which they were decoded.
type BitVec struct {
	n     uint16
	bytes []byte
}

// NewBitVec returns a vector of n bits, all set to fill. The error wraps ErrMalformed.
func NewBitVec(n int, fill bool) (BitVec, error) {
	if n < 1 || n > MaxBits {
		return BitVec{}, fmt.Errorf("bit vector of %d bits: %w, want 1 to %d", n, ErrMalformed, MaxBits)
	}
	v := BitVec{n: uint16(n), bytes: make([]byte, byteCount(n))}
	if fill {
		for i := range v.bytes {
			v.bytes[i] = 0xff
		}
		if spare := n % 8; spare != 0 {
			v.bytes[len(v.bytes)-1] <<= 8 - spare
		}
	}
	return v, nil
}

// DecodeBitVec decodes the vector at the start of b and returns its size in bytes. Block headers and node events use
// the same layout: u16 bit count, u32 byte count, bytes. The vector shares memory with b. The error is a *DecodeError.
func DecodeBitVec(b []byte) (BitVec, int, error) {
	if len(b) < bitVecHeaderSize {
		return BitVec{}, 0, truncated("bit vector", 0, bitVecHeaderSize, len(b))
	}
	n := int(binary.BigEndian.Uint16(b))
	size := binary.BigEndian.Uint32(b[2:])
	if n < 1 || n > MaxBits {
		err := fmt.Errorf("%w: %d bits, want 1 to %d", ErrMalformed, n, MaxBits)
		return BitVec{}, 0, &DecodeError{Part: "bit vector", Err: err}
	}
	if size != uint32(byteCount(n)) {
		err := fmt.Errorf("%w: %d bits in %d bytes, want %d", ErrMalformed, n, size, byteCount(n))
		return BitVec{}, 0, &DecodeError{Part: "bit vector", Offset: 2, Err: err}
	}
	end := bitVecHeaderSize + int(size)
	if len(b) < end {
		return BitVec{}, 0, truncated("bit vector", bitVecHeaderSize, int(size), len(b)-bitVecHeaderSize)
	}
	return BitVec{n: uint16(n), bytes: b[bitVecHeaderSize:end:end]}, end, nil
}

// Append appends the vector to dst, in the layout that DecodeBitVec reads.
func (v BitVec) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, v.n)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v.bytes)))
	return append(dst, v.bytes...)
}

// Len returns the number of bits.
func (v BitVec) Len() int { return int(v.n) }

// Bit returns bit i, counted from 0, and false for an i outside the vector.
func (v BitVec) Bit(i int) bool {
	return i >= 0 && i < int(v.n) && v.bytes[i/8]&(0x80>>(i%8)) != 0
}

// Bytes returns the bits, eight to a byte. The caller must not change them.
func (v BitVec) Bytes() []byte { return v.bytes }

func byteCount(bits int) int { return (bits + 7) / 8 }
