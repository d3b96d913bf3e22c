package eventstore

import (
	"encoding/binary"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// LeafVersion is the version of the leaf record. docs/log-format.md describes its layout.
//
// Version history:
//   - 1: first version.
const LeafVersion = 1

// AppendLeafRecord appends the canonical leaf record of e to b. The record holds everything that the log states about
// an event; size and SHA-256 stand for the body. Integers are big-endian, and a 4-byte length precedes each text.
func AppendLeafRecord(b []byte, e *Event) []byte {
	b = append(b, LeafVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(e.ReceivedAt.UnixMicro()))
	b = binary.BigEndian.AppendUint64(b, uint64(e.Size))
	b = append(b, e.SHA256[:]...)
	for _, text := range []string{e.Source, e.Path, e.ContentType, e.Origin} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	return b
}

// LeafHash returns SHA-256(0x00 ‖ leaf record), the leaf hash of RFC 6962.
func LeafHash(e *Event) []byte {
	return rfc6962.DefaultHasher.HashLeaf(AppendLeafRecord(make([]byte, 0, 256), e))
}

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// Frontier is the state of the Merkle tree over the first Size events: the roots of its perfect subtrees. They suffice
// to compute the root and to append leaves.
type Frontier struct {
	compact *compact.Range
}

// NewFrontier returns the frontier of an empty log.
func NewFrontier() Frontier { return Frontier{compact: ranges.NewEmptyRange(0)} }

// DecodeFrontier decodes the result of Encode for a log of size events.
func DecodeFrontier(size int64, b []byte) (Frontier, error) {
	if len(b)%32 != 0 {
		return Frontier{}, fmt.Errorf("frontier of %d bytes: want a multiple of 32", len(b))
	}
	hashes := make([][]byte, 0, len(b)/32)
	for ; len(b) > 0; b = b[32:] {
		hashes = append(hashes, append([]byte(nil), b[:32]...))
	}
	r, err := ranges.NewRange(0, uint64(size), hashes)
	if err != nil {
		return Frontier{}, fmt.Errorf("frontier of a log of %d events: %w", size, err)
	}
	return Frontier{compact: r}, nil
}

// Size returns the number of leaves.
func (f Frontier) Size() int64 { return int64(f.compact.End()) }

// Append adds the leaf hash of the next event.
func (f Frontier) Append(leaf []byte) error { return f.compact.Append(leaf, nil) }

// Encode concatenates the roots of the subtrees, largest subtree first.
func (f Frontier) Encode() []byte {
	b := []byte{} // not nil: an empty frontier is stored as an empty value, not as NULL
	for _, h := range f.compact.Hashes() {
		b = append(b, h...)
	}
	return b
}

// Root returns the Merkle tree hash of RFC 6962. For an empty log it is the SHA-256 of the empty string.
func (f Frontier) Root() ([]byte, error) {
	if f.Size() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	return f.compact.GetRootHash(nil)
}

// Clone returns a copy that shares nothing with f.
func (f Frontier) Clone() (Frontier, error) {
	return DecodeFrontier(f.Size(), f.Encode())
}
