package rosetta_test

import (
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi/rosetta/internal/wire"
)

func TestChunkIDs(t *testing.T) {
	t.Parallel()
	ids := wire.ChunkIDs("0xab", 43)
	for _, n := range []int{0, 42} {
		if original, chunk, ok := wire.ParseChunkID(ids[n]); !ok || original != "0xab" || chunk != n {
			t.Errorf("%s: got %q, %d, %t", ids[n], original, chunk, ok)
		}
	}
	check.Equal(t, "parts", len(ids), 43)
	for _, id := range []string{"0xab", "0xab:genesis-chunk:abc", "0xab:genesis-chunk:-1", "0xab:genesis-chunk:1.5", "0xab:genesis-chunk:", "0xab:genesis-chunk:99999999999999999999"} {
		if _, _, ok := wire.ParseChunkID(id); ok {
			t.Errorf("%s: is taken for a part", id)
		}
	}
	if original, chunk, ok := wire.ParseChunkID("0xab:genesis-chunk:1:genesis-chunk:2"); !ok || original != "0xab:genesis-chunk:1" || chunk != 2 {
		t.Errorf("two separators: got %q, %d, %t", original, chunk, ok)
	}
}
