package metadata

import (
	"strings"
	"testing"
)

func FuzzShorten(f *testing.F) {
	f.Add("data:,äöü", 7)
	f.Add("", 0)
	f.Add("\xff\xfe", 1)
	f.Fuzz(func(t *testing.T, s string, characters int) {
		if characters < 0 {
			return
		}
		got := shorten(s, characters)
		if !strings.HasPrefix(s, got) || len([]rune(got)) != min(len([]rune(s)), characters) {
			t.Errorf("got %q of %q, want %d characters", got, s, characters)
		}
	})
}
