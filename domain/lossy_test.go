package domain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/lossy"
)

func TestLossyString(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"valid", "og ⭐ 🎉", "og ⭐ 🎉"},
		{"genuine replacement", "a\uFFFDb", "a\uFFFDb"},
		{"bad second byte", "\xc3(", "\uFFFD("},
		{"two stray continuation bytes", "\xf0(\x8c\xbc", "\uFFFD(\uFFFD\uFFFD"},
		{"three bytes of four", "\xf0\x9f\x8e", "\uFFFD"},
		{"two bytes of three", "a\xe2\xad", "a\uFFFD"},
		{"truncated character before text", "\xf0\x9f\x8eA", "\uFFFDA"},
		{"overlong", "\xc0\xaf\xe0\x80\xaf", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"beyond the last plane", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"example in the Unicode standard", "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64", "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := lossy.String([]byte(tc.in)); got != tc.want {
				t.Errorf("String(% x) = %q, want %q", tc.in, got, tc.want)
			}
			if got, want := lossy.Count([]byte(tc.in)), utf8.RuneCountInString(tc.want); got != want {
				t.Errorf("Count(% x) = %d, want %d", tc.in, got, want)
			}
		})
	}
}

func FuzzLossyString(f *testing.F) {
	f.Add([]byte("\xf0(\x8c\xbc"))
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := lossy.String(b)
		if !utf8.ValidString(got) {
			t.Errorf("String(% x) = %q is not UTF-8", b, got)
		}
		if n := utf8.RuneCountInString(got); n != lossy.Count(b) {
			t.Errorf("Count(% x) = %d, want %d", b, lossy.Count(b), n)
		}
		// All well-formed characters survive: only the replacements may differ from the standard library's result.
		want := strings.ReplaceAll(strings.ToValidUTF8(string(b), ""), "\uFFFD", "")
		if rest := strings.ReplaceAll(got, "\uFFFD", ""); rest != want {
			t.Errorf("String(% x) without replacements = %q, want %q", b, rest, want)
		}
	})
}
