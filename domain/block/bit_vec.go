package block

import (
	"encoding/binary"
	"fmt"
)

// MaxBits is the largest size of a BitVec: one bit for each reward slot of a cycle.
const MaxBits = 4000

// bitVecHeader is the size of bit count and byte count in bytes.
const bitVecHeader = 6

// BitVec is a list of 1 to MaxBits bits, first bit highest. The bits of the last byte behind the end are kept as they
// came.
type BitVec struct {
	n     uint16
	bytes []byte
}

// NewBitVec makes a vector of n bits, all set to fill.
func NewBitVec(n int, fill bool) (BitVec, error) {
	if n < 1 || n > MaxBits {
		return BitVec{}, fmt.Errorf("bit vector of %d bits: %w, want 1 to %d", n, ErrMalformed, MaxBits)
	}
	v := BitVec{n: uint16(n), bytes: make([]byte, bitBytes(n))}
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

// DecodeBitVec reads a vector from the start of b, as in a header or as node events carry it: u16 bit count, u32 byte
// count, bytes. It returns its size in bytes. The bytes are kept, not copied. The error is a *DecodeError.
func DecodeBitVec(b []byte) (BitVec, int, error) {
	if len(b) < bitVecHeader {
		return BitVec{}, 0, truncated("bit vector", 0, bitVecHeader, len(b))
	}
	n := int(binary.BigEndian.Uint16(b))
	size := binary.BigEndian.Uint32(b[2:])
	if n < 1 || n > MaxBits {
		return BitVec{}, 0, &DecodeError{Part: "bit vector", Err: fmt.Errorf("%w: %d bits, want 1 to %d", ErrMalformed, n, MaxBits)}
	}
	if size != uint32(bitBytes(n)) {
		return BitVec{}, 0, &DecodeError{Part: "bit vector", Offset: 2, Err: fmt.Errorf("%w: %d bits in %d bytes, want %d", ErrMalformed, n, size, bitBytes(n))}
	}
	end := bitVecHeader + int(size)
	if len(b) < end {
		return BitVec{}, 0, truncated("bit vector", bitVecHeader, int(size), len(b)-bitVecHeader)
	}
	return BitVec{n: uint16(n), bytes: b[bitVecHeader:end:end]}, end, nil
}

// Append writes what DecodeBitVec reads behind dst.
func (v BitVec) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, v.n)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v.bytes)))
	return append(dst, v.bytes...)
}

// Len is the number of bits.
func (v BitVec) Len() int { return int(v.n) }

// Bit is bit i, counted from 0; outside the vector it is false.
func (v BitVec) Bit(i int) bool {
	return i >= 0 && i < int(v.n) && v.bytes[i/8]&(0x80>>(i%8)) != 0
}

// Bytes are the bits, eight to a byte. They must not be changed.
func (v BitVec) Bytes() []byte { return v.bytes }

func bitBytes(n int) int { return (n + 7) / 8 }
