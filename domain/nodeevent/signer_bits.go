package nodeevent

import (
	"encoding/binary"
	"fmt"
)

// SignerBits decodes SignerBitvec: one bit for each reward address, true if its PoX output is honoured. It returns nil
// if the block has no bit vector. The encoding is the number of bits (2 bytes, big-endian), the number of bytes (4
// bytes, big-endian), and the bytes, with the least significant bit first.
func (b *Block) SignerBits() ([]bool, error) {
	v := b.SignerBitvec
	if v == nil {
		return nil, nil
	}
	const header = 6
	if len(v) < header {
		return nil, &FieldError{Path: "/signer_bitvec", Want: "at least 6 bytes", Got: fmt.Sprintf("%x", v)}
	}
	n, size := int(binary.BigEndian.Uint16(v)), binary.BigEndian.Uint32(v[2:])
	data, want := v[header:], (n+7)/8
	if uint64(len(data)) != uint64(size) || len(data) != want {
		return nil, &FieldError{
			Path: "/signer_bitvec",
			Want: fmt.Sprintf("%d bytes for %d bits", want, n),
			Got:  fmt.Sprintf("%d, and a length field of %d", len(data), size),
		}
	}
	bits := make([]bool, n)
	for i := range bits {
		bits[i] = data[i/8]>>(i%8)&1 == 1
	}
	return bits, nil
}
