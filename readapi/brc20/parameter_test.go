package brc20

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
)

// A ticker lies in exactly one of the ranges if it begins with one of the prefixes, and in none otherwise.
func TestTickerRanges(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'B', '%', 0x7f, 0xd7ff, 0xe000, utf8.MaxRune - 1, utf8.MaxRune}), 0, 5, -1)
	rapid.Check(t, func(r *rapid.T) {
		checkTickerRanges(r, rapid.SliceOfN(text, 0, 4).Draw(r, "prefixes"), text.Draw(r, "ticker"))
	})
}

func FuzzTickerRanges(f *testing.F) {
	f.Add("pe", "ab", "PEPE")
	f.Add("", "\U0010ffff", "\U0010ffff\U0010ffff")
	f.Add("\ud7ff", "a\U0010ffff", "\ue000")
	f.Fuzz(func(t *testing.T, first, second, ticker string) {
		if utf8.ValidString(first) && utf8.ValidString(second) && utf8.ValidString(ticker) && len(ticker) < ordinals.BoundedMost/2 {
			checkTickerRanges(t, []string{first, second}, ticker)
		}
	})
}

func checkTickerRanges(t interface{ Fatalf(string, ...any) }, prefixes []string, ticker string) {
	least, beyond, filters := tickerPrefixes(prefixes).ranges()
	hits, key := 0, tickerOf(ticker)
	for i := range least {
		if key >= least[i] && key < beyond[i] {
			hits++
		}
	}
	begins := func(prefix string) bool { return strings.HasPrefix(strings.ToLower(ticker), strings.ToLower(prefix)) }
	switch want := slices.ContainsFunc(prefixes, begins); {
	case !filters && len(prefixes) > 0 && !slices.Contains(prefixes, ""):
		t.Fatalf("prefixes %q do not filter", prefixes)
	case filters && (hits > 1 || want != (hits == 1)):
		t.Fatalf("ticker %q lies in %d ranges of prefixes %q, from %q up to %q", ticker, hits, prefixes, least, beyond)
	}
}
