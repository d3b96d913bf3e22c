package web_test

import (
	"strings"
	"testing"

	"strata/metadata/internal/web"
)

func FuzzShorten(f *testing.F) {
	f.Add("data:,äöü")
	f.Add("")
	f.Add("data:," + strings.Repeat("ä", 200))
	f.Add(strings.Repeat("\xff", 101) + "\xfe")
	f.Fuzz(func(t *testing.T, uri string) {
		got := web.Shorten(uri)
		if !strings.HasPrefix(uri, got) || len([]rune(got)) != min(len([]rune(uri)), 100) {
			t.Errorf("got %q of %q, want 100 characters at most", got, uri)
		}
	})
}
