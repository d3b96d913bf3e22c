package packed_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/packed"
)

// wordy returns a body that becomes shorter.
func wordy(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, `{"txid": "0x%064x"},`, i), 20) }

// Whatever happens to a frame, it does not become another body of the same size without its digest showing it, and nothing panics.
func TestUnpack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := wordy(rapid.IntRange(0, 99).Draw(t, "body"))
		frame := packed.Body("/new_block", body)
		if got := packed.Unpack(frame, int64(len(body))); !bytes.Equal(got, body) {
			t.Fatalf("a frame of %q is one of %q", body, got)
		}
		if got := packed.Unpack(frame, int64(len(body))+1); !bytes.Equal(got, frame) {
			t.Fatalf("a frame of another size becomes %q", got)
		}
		damaged := slices.Clone(frame)
		damaged[rapid.IntRange(0, len(frame)-1).Draw(t, "at")] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
		damaged = damaged[:rapid.IntRange(0, len(frame)).Draw(t, "length")]
		if got := packed.Unpack(damaged, int64(len(body))); len(got) != len(body) && !bytes.Equal(got, damaged) {
			t.Fatalf("a damaged frame becomes %d bytes", len(got))
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add(packed.Body("/new_block", wordy(1)), int64(len(wordy(1))))
	f.Fuzz(func(t *testing.T, stored []byte, size int64) {
		if got := packed.Unpack(stored, size); int64(len(got)) != size && !bytes.Equal(got, stored) {
			t.Errorf("%d bytes of %d", len(got), size)
		}
	})
}
