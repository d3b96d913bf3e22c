package eventstore

import (
	"encoding/binary"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// LeafVersion is the version of the leaf record. docs/log-format.md has its layout.
//
// Version history:
//   - 1: first version.
const LeafVersion = 1

// AppendLeafRecord appends the canonical leaf record of e to b: everything the log states about an event, with
// the body represented by its size and SHA-256. Integers are big-endian; texts have a 4-byte length in front.
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

// LeafHash is SHA-256(0x00 ‖ leaf record), as RFC 6962 hashes leaves.
func LeafHash(e *Event) []byte {
	return rfc6962.DefaultHasher.HashLeaf(AppendLeafRecord(make([]byte, 0, 256), e))
}

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// Frontier is the state of the Merkle tree over the first Size events: the roots of its perfect subtrees, from
// which the root is computed and to which leaves are appended.
type Frontier struct {
	compact *compact.Range
}

// NewFrontier is the frontier of an empty log.
func NewFrontier() Frontier { return Frontier{compact: ranges.NewEmptyRange(0)} }

// DecodeFrontier reads what Encode wrote, for a log of size events.
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

// Size is the number of leaves.
func (f Frontier) Size() int64 { return int64(f.compact.End()) }

// Append adds the leaf hash of the next event.
func (f Frontier) Append(leaf []byte) error { return f.compact.Append(leaf, nil) }

// Encode is the concatenation of the subtree roots, largest subtree first.
func (f Frontier) Encode() []byte {
	b := []byte{} // never nil: an empty frontier is stored as an empty value
	for _, h := range f.compact.Hashes() {
		b = append(b, h...)
	}
	return b
}

// Root is the RFC 6962 Merkle tree hash; of an empty log it is the SHA-256 of nothing.
func (f Frontier) Root() ([]byte, error) {
	if f.Size() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	return f.compact.GetRootHash(nil)
}

// Clone is independent of f.
func (f Frontier) Clone() (Frontier, error) {
	return DecodeFrontier(f.Size(), f.Encode())
}
