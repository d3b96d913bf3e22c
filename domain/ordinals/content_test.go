package ordinals_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
)

func TestMimeType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, contentType, mime string }{
		{"text/plain;charset=utf-8", "text/plain;charset=utf-8", "text/plain"},
		{"image/png", "image/png", "image/png"},
		{"unknown", "unknown", "unknown"},
		{"", "", ""},
		{";x", ";x", ""},
		{"Text/HTML ; a;b", "Text/HTML ; a;b", "Text/HTML "},
		{"te\x00xt/\x00plain\x00;\x00x", "text/plain;x", "text/plain"},
	} {
		same(t, tt.in, []string{ordinals.ContentType(tt.in), ordinals.MimeType(tt.in)}, []string{tt.contentType, tt.mime})
	}
}

func TestRecursionRefs(t *testing.T) {
	t.Parallel()
	a, b, upper := strings.Repeat("ab", 32)+"i0", strings.Repeat("01", 32)+"i12", strings.Repeat("CD", 32)+"i4294967295"
	id := func(s string) ordinals.InscriptionID { return ordinals.InscriptionID(s) }
	for _, tt := range []struct {
		name, content string
		want          []ordinals.InscriptionID
	}{
		{"nothing", "", nil},
		{"no id", "/content/ /content", nil},
		{"one", `<img src="/content/` + a + `">`, []ordinals.InscriptionID{id(a)}},
		{"in order, once", "/content/" + b + " /content/" + upper + "/content/" + a + "/content/" + b, []ordinals.InscriptionID{id(b), id(upper), id(a)}},
		{"id after the start of another id", "/content/" + a[:40] + "/content/" + a, []ordinals.InscriptionID{id(a)}},
		{"path twice", "/content//content/" + a, []ordinals.InscriptionID{id(a)}},
		{"no index", "/content/" + a[:65] + "x", nil},
		{"upper-case I", "/content/" + a[:64] + "I0", nil},
		{"not hex", "/content/" + strings.Repeat("xy", 32) + "i0", nil},
		{"index beyond 32 bits", "/content/" + a[:65] + "4294967296 /content/" + a[:65] + strings.Repeat("9", 5000), nil},
		{"not UTF-8", "\xff\xfe/content/" + a + "\x80", []ordinals.InscriptionID{id(a)}},
		{"text right after the id", "/content/" + a + "z", []ordinals.InscriptionID{id(a)}},
	} {
		same(t, tt.name, ordinals.RecursionRefs([]byte(tt.content)), tt.want)
	}
}

// TestRecursionRefsMatchPattern compares RecursionRefs with the pattern of ordinals-api.
func TestRecursionRefsMatchPattern(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`/content/([a-fA-F0-9]{64}i\d+)`)
	piece := rapid.SampledFrom([]string{"/content/", "/", "content/", strings.Repeat("a", 64), strings.Repeat("B", 64), "f", "i", "0", "17", " ", "\xff", "é"})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		var want []ordinals.InscriptionID
		seen := map[string]bool{}
		for _, match := range pattern.FindAllStringSubmatch(content, -1) {
			if _, err := ordinals.ParseInscriptionID(match[1]); err == nil && !seen[match[1]] {
				seen[match[1]] = true
				want = append(want, ordinals.InscriptionID(match[1]))
			}
		}
		same(t, content, ordinals.RecursionRefs([]byte(content)), want)
	})
}

func TestCurse(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"DuplicateField"`: "duplicate_field", `"IncompleteField"`: "incomplete_field", `"NotAtOffsetZero"`: "not_at_offset_zero",
		`"NotInFirstInput"`: "not_in_first_input", `"Pointer"`: "pointer", `"Pushnum"`: "pushnum", `"Reinscription"`: "reinscription",
		`"Stutter"`: "stutter", `"UnrecognizedEvenField"`: "unrecognized_field", `"Generic"`: "generic",
		`"p2wsh"`: "p2wsh", `"a\"b"`: `a"b`, `"\u0000"`: "\x00", `88`: "88", `-1.50`: "-1.50", `true`: "true",
		`{"tag":66}`: `{"tag":66}`, "{ \"tag\" :\n 66, \"<\": [ ] }": `{"tag":66,"<":[]}`, "[1, \"\xff\"]": "[1,\"�\"]",
	} {
		if got := ordinals.Curse(json.RawMessage(raw)); got == nil || *got != want {
			t.Errorf("Curse(%s): got %v, want %q", raw, got, want)
		}
	}
	for _, raw := range []string{``, `null`, `false`, `""`, `0`, `-0`, `0.00`, `0e5`} {
		if got := ordinals.Curse(json.RawMessage(raw)); got != nil {
			t.Errorf("Curse(%s): got %q, want nothing", raw, *got)
		}
	}
}

func TestShownMetadata(t *testing.T) {
	t.Parallel()
	for raw, shown := range map[string]bool{
		``: false, `null`: false, `0`: false, `-0.0`: false, `false`: false, `""`: false,
		`1`: true, `true`: true, `" "`: true, `"0"`: true, `[]`: true, `{}`: true, `{"foo":"bar","test":1337}`: true, `1e400`: true,
	} {
		r := ordinals.Reveal{Metadata: json.RawMessage(raw)}
		want := json.RawMessage(nil)
		if shown {
			want = json.RawMessage(raw)
		}
		same(t, raw, r.ShownMetadata(), want)
	}
}
