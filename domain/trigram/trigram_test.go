package trigram_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/trigram"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int32{
		"": {}, "ab": {}, "aBc": {0x616263}, "abcabc": {0x616263, 0x626361, 0x636162}, "zzzz": {0x7a7a7a}, "é!": {0xc3a921},
	} {
		if got := trigram.Of(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %x, want %x", text, got, want)
		}
	}
}

// A text that has a part, in whatever letters, has all sequences of the part.
func TestParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[ -~]{0,12}`).Draw(t, "part")
		all := trigram.Of(rapid.String().Draw(t, "before") + part + rapid.String().Draw(t, "after"))
		for _, one := range trigram.Of(strings.ToUpper(part)) {
			if _, ok := slices.BinarySearch(all, one); !ok {
				t.Fatalf("%x is missing in %x", one, all)
			}
		}
	})
}
