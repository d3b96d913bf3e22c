package shard

import (
	"encoding/binary"
	"fmt"
)

// Encode encodes a list of shards as strata.change has it: two bytes for each, big endian.
func Encode(shards []int32) []byte {
	b := make([]byte, 0, 2*len(shards))
	for _, s := range shards {
		b = binary.BigEndian.AppendUint16(b, uint16(s))
	}
	return b
}

// Decode decodes a list of shards. It returns an error if b ends within one.
func Decode(b []byte) ([]int32, error) {
	if len(b)%2 != 0 {
		return nil, fmt.Errorf("decode a list of shards: %d bytes, which is not two for each", len(b))
	}
	shards := make([]int32, len(b)/2)
	for i := range shards {
		shards[i] = int32(binary.BigEndian.Uint16(b[2*i:]))
	}
	return shards, nil
}

// EncodePositions encodes the positions of all shards, none of them negative, as strata.change_summary has them: an unsigned
// varint of encoding/binary for each.
func EncodePositions(positions *[Count]int64) []byte {
	b := make([]byte, 0, 4*Count)
	for _, p := range positions {
		b = binary.AppendUvarint(b, uint64(p))
	}
	return b
}

// DecodePositions decodes the positions of all shards into positions. It returns an error if b is not that.
func DecodePositions(b []byte, positions *[Count]int64) error {
	for i := range positions {
		p, n := binary.Uvarint(b)
		if n <= 0 || int64(p) < 0 {
			return fmt.Errorf("decode the positions of shards: shard %d has none", i)
		}
		positions[i], b = int64(p), b[n:]
	}
	if len(b) > 0 {
		return fmt.Errorf("decode the positions of shards: %d bytes more than for %d shards", len(b), Count)
	}
	return nil
}
