package domain_test

import (
	"bytes"
	"slices"
	"testing"

	"strata/domain/shard"
)

// The encodings are stored in the database, so they must not change.
func TestStoredEncodings(t *testing.T) {
	if got, want := shard.Encode([]int32{0, 1, 258, shard.Count - 1}), []byte{0, 0, 0, 1, 1, 2, 255, 255}; !bytes.Equal(got, want) {
		t.Errorf("a list is %x, want %x", got, want)
	}
	positions := &[shard.Count]int64{1: 1, 2: 300, shard.Count - 1: 1<<63 - 1}
	want := slices.Concat([]byte{0, 1, 0xac, 2}, make([]byte, shard.Count-4), bytes.Repeat([]byte{0xff}, 8), []byte{0x7f})
	if got := shard.EncodePositions(positions); !bytes.Equal(got, want) {
		t.Errorf("positions are %x…, in %d bytes; want %x…, in %d", got[:8], len(got), want[:8], len(want))
	}
}

func FuzzDecodeShards(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 255, 255})
	f.Add([]byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		shards, err := shard.Decode(b)
		if (err != nil) != (len(b)%2 == 1) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		for _, s := range shards {
			if s < 0 || s >= shard.Count {
				t.Errorf("decoded shard %d", s)
			}
		}
		if err == nil && !bytes.Equal(shard.Encode(shards), b) {
			t.Errorf("%x is %v, which is %x", b, shards, shard.Encode(shards))
		}
	})
}

// The input is the beginning of an encoding, whose other shards have never changed.
func FuzzDecodeShardPositions(f *testing.F) {
	f.Add([]byte{}, shard.Count)
	f.Add([]byte{1, 0xac, 2}, shard.Count-2)
	f.Add([]byte{1}, shard.Count)
	f.Add(bytes.Repeat([]byte{0xff}, 11), shard.Count)
	f.Fuzz(func(t *testing.T, head []byte, zeros int) {
		if zeros < 0 || zeros > shard.Count+1 {
			t.Skip("no encoding has so many bytes")
		}
		b := append(slices.Clone(head), make([]byte, zeros)...)
		positions := new([shard.Count]int64)
		if err := shard.DecodePositions(b, positions); err != nil {
			return
		}
		again := new([shard.Count]int64)
		if err := shard.DecodePositions(shard.EncodePositions(positions), again); err != nil || *again != *positions {
			t.Errorf("what was decoded is other positions when encoded and decoded again (%v)", err)
		}
		if slices.Min(positions[:]) < 0 {
			t.Errorf("decoded a negative position")
		}
	})
}
