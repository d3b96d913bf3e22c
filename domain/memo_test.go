package domain_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/memo"
	"strata/internal/testkit/vector"
)

func TestMemoDisplay(t *testing.T) {
	zeros := strings.Repeat("\x00", 20)
	for _, tc := range []struct{ name, in, want string }{
		{"padded", "UhOh " + zeros, "UhOh"},
		{"only zero bytes", zeros, ""},
		{"no bytes", "", ""},
		{"inner white space", "a  \t\n b", "a b"},
		{"two-character line break", "a\r\nb", "a b"},
		{"inner zeros", "a\x00\x00b", "a b"},
		{"ill-formed", "a\xff\xfeb\xc3", "a b"},
		{"replacement character", "a\uFFFDb", "a b"},
		{"flag", "🇳🇱 hello", "🇳🇱 hello"},
		{"family", "👨‍👩‍👧", "👨‍👩‍👧"},
		{"lone joiner", "a \u200d b", "a \u200d b"},
		{"zero-width space", "a\u200bb", "a b"},
		{"no-break space", "a\u00a0b", "a b"},
		{"private use", "\ue000a", "a"},
		{"combining mark", "e\u0301", "e\u0301"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := memo.Display([]byte(tc.in)); got != tc.want {
				t.Errorf("Display(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestMemoRosetta(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		ok             bool
	}{
		{"padded", "UhOh \x00\x00", "UhOh ", true},
		{"only zero bytes", "\x00\x00", "", false},
		{"no bytes", "", "", false},
		{"leading zero", "\x00a\x00", "\x00a", true},
		{"ill-formed", "\xff\x00\xfe\x00", "\uFFFD\x00\uFFFD", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, ok := memo.Rosetta([]byte(tc.in)); got != tc.want || ok != tc.ok {
				t.Errorf("Rosetta(%q) = %q, %t, want %q, %t", tc.in, got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestMemoVectors(t *testing.T) {
	vector.Each(t, "memos.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			MemoHex string `json:"memo_hex"`
			Display string
			Rosetta *string
		}](t, row)
		b := vector.Bytes(t, want.MemoHex)
		same(t, "Display", memo.Display(b), want.Display)
		got, ok := memo.Rosetta(b)
		if ok != (want.Rosetta != nil) || ok && got != *want.Rosetta {
			t.Errorf("Rosetta = %q, %t, want %v", got, ok, want.Rosetta)
		}
	})
}

func FuzzMemoDisplay(f *testing.F) {
	f.Add([]byte("UhOh \x00\x00"))
	f.Add([]byte("🇳🇱 hello \xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := memo.Display(b)
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Errorf("Display(%q) = %q is not one tidy line", b, got)
		}
		if len(got) > len(b) {
			t.Errorf("Display(%q) = %q is longer than the memo", b, got)
		}
		if text, ok := memo.Rosetta(b); !utf8.ValidString(text) || ok == (text == "") {
			t.Errorf("Rosetta(%q) = %q, %t", b, text, ok)
		}
	})
}

func BenchmarkMemoDisplay(b *testing.B) {
	raw := append([]byte("memo 1890805642"), make([]byte, 19)...)
	b.ReportAllocs()
	for b.Loop() {
		_ = memo.Display(raw)
	}
}
