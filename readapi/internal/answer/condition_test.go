package answer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/internal/testkit/check"
	"strata/readapi/internal/answer"
)

func TestIfNoneMatch(t *testing.T) {
	a := answer.New(jsonConfig())
	quoted := `"` + tagHex + `"`
	for _, c := range []struct {
		name  string
		lines []string
		match bool
	}{
		{"not sent", nil, false},
		{"empty", []string{""}, false},
		{"commas only", []string{" , ,"}, false},
		{"the tag", []string{quoted}, true},
		{"weak", []string{"W/" + quoted}, true},
		{"without quotes", []string{tagHex}, true},
		{"weak without quotes", []string{"W/" + tagHex}, true},
		{"gzip form", []string{`"` + tagHex + `-gzip"`}, true},
		{"zstd form", []string{`"` + tagHex + `-zstd"`}, true},
		{"brotli form", []string{`"` + tagHex + `-br"`}, true},
		{"zstd form, weak, without quotes", []string{`W/` + tagHex + `-zstd`}, true},
		{"form that no answer has", []string{`"` + tagHex + `-deflate"`}, false},
		{"another", []string{`"0123456789abcdef0123456789abcdef"`}, false},
		{"the start of it", []string{`"` + tagHex[:31] + `"`}, false},
		{"more than it", []string{`"` + tagHex + `0"`}, false},
		{"upper case", []string{strings.ToUpper(quoted)}, false},
		{"in a list", []string{`"a", "b" ,` + quoted + `, "c"`}, true},
		{"in a list without spaces", []string{`"a",W/"b",` + quoted}, true},
		{"on another line", []string{`"a"`, `"b", ` + quoted}, true},
		{"after a tag with a comma", []string{`"a,b", ` + quoted}, true},
		{"inside another tag", []string{`"a, ` + tagHex + `, b"`}, false},
		{"between two tags that have commas", []string{`"a,", ",b"`}, false},
		{"after a tag without quotes", []string{`a, ` + quoted}, true},
		{"after junk", []string{`"a"junk, ` + quoted}, true},
		{"never closed", []string{`"` + tagHex}, false},
		{"after one that is never closed", []string{`"a, ` + tagHex}, false},
		{"next line after one that is never closed", []string{`"a`, quoted}, true},
		{"spaces around", []string{"  \t" + tagHex + "\t , x"}, true},
		{"weak in lower case", []string{`w/` + quoted}, false},
		{"anything", []string{"*"}, true},
		{"anything, with spaces", []string{" * "}, true},
		{"star in quotes is a tag", []string{`"*"`}, false},
		{"weak star is a tag", []string{`W/*`}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{"If-None-Match": c.lines}
			if c.lines == nil {
				header = nil
			}
			check.Equal(t, fmt.Sprint(c.lines), get(a, header).Code == http.StatusNotModified, c.match)
		})
	}
}

// There is no tag to compare with, but there is an answer, and that is all that * asks for.
func TestAnythingMatchesAnAnswerWithoutTag(t *testing.T) {
	for _, change := range []func(*answer.Config){
		func(c *answer.Config) {
			c.Tag, c.Size = answer.Tag{}, int64(len(c.Body))
			c.Rest = func(context.Context, io.Writer) error { return nil }
		},
		func(c *answer.Config) { c.Class = answer.NoStore },
	} {
		a := jsonWith(change)
		w := get(a, http.Header{"If-None-Match": {"*"}})
		check.Equal(t, "status", w.Code, http.StatusNotModified)
		wantField(t, w.Header(), "ETag")
		for _, known := range []string{tagHex, `""`, "", strings.Repeat("0", 32)} {
			if w := get(a, http.Header{"If-None-Match": {known}}); w.Code != http.StatusOK {
				t.Errorf("%s: got %d", known, w.Code)
			}
		}
	}
}

// clientTag is an entity tag as a client may write it, and what the server has to make of it.
type clientTag struct {
	text  string
	match bool
}

// drawTag makes a tag whose meaning is known, so that nothing has to be parsed to know what is right.
func drawTag(t *rapid.T) clientTag {
	weak := rapid.SampledFrom([]string{"", "W/"}).Draw(t, "weak")
	switch rapid.SampledFrom([]string{"ours", "ours", "quoted", "bare", "anything"}).Draw(t, "kind") {
	case "ours":
		opaque := tagHex + rapid.SampledFrom([]string{"", "-gzip", "-zstd", "-br"}).Draw(t, "form")
		if rapid.Bool().Draw(t, "quotes") {
			opaque = `"` + opaque + `"`
		}
		return clientTag{weak + opaque, true}
	case "quoted": // everything but a quote; ours between other things is another
		opaque := rapid.StringMatching(`[ -!#-~]{0,8}`).Draw(t, "before")
		if rapid.Bool().Draw(t, "ours inside") {
			opaque += "," + tagHex + ","
		}
		return clientTag{weak + `"` + opaque + `"`, false}
	case "bare":
		return clientTag{weak + rapid.StringMatching(`[a-z0-9./-]{1,40}`).Filter(func(s string) bool { return !strings.HasPrefix(s, tagHex) }).Draw(t, "bare"), false}
	default:
		return clientTag{weak + `*`, weak == ""}
	}
}

func TestIfNoneMatchProperty(t *testing.T) {
	a := answer.New(jsonConfig())
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		want := false
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			var line strings.Builder
			for range rapid.IntRange(0, 4).Draw(t, "tags") {
				tag := drawTag(t)
				line.WriteString(tag.text + rapid.SampledFrom([]string{",", ", ", " ,\t", ",,", " , , "}).Draw(t, "comma"))
				want = want || tag.match
			}
			text := line.String()
			if rapid.Bool().Draw(t, "no comma at the end") {
				text = strings.TrimRight(text, ", \t")
			}
			lines = append(lines, text)
		}
		encoding := rapid.SampledFrom([]string{"", "gzip", "zstd", "br"}).Draw(t, "encoding")
		w := get(a, http.Header{"If-None-Match": lines, "Accept-Encoding": {encoding}})
		check.Equal(t, fmt.Sprint(lines), w.Code == http.StatusNotModified, want)
	})
}

func FuzzIfNoneMatch(f *testing.F) {
	for _, seed := range []string{
		"", "*", `"` + tagHex + `"`, `W/"` + tagHex + `-gzip"`, tagHex + "-zstd", `"a,b", ` + tagHex, `"a`, `W/`, `W/W/"x"`, `"a"b, *`, `,W/*,`, `"*"`,
	} {
		f.Add(seed, `"x"`)
	}
	a := answer.New(jsonConfig())
	f.Fuzz(func(t *testing.T, first, second string) {
		lines := []string{first, second}
		check.Equal(t, fmt.Sprint(lines), get(a, http.Header{"If-None-Match": lines}).Code == http.StatusNotModified, modelMatch(lines))
	})
}

var (
	// An element that can be had from the start of a list: in quotes, without them, or with quotes that are not closed.
	elementPattern = regexp.MustCompile(`(?s)^[ \t,]*(?:((?:W/)?"[^"]*")[^,]*|(?:W/)?"[^"]*$|([^,]*))`)
	oursPattern    = regexp.MustCompile(`^(?:W/)?(?:"` + tagHex + `(?:-gzip|-zstd|-br)?"|` + tagHex + `(?:-gzip|-zstd|-br)?[ \t]*)$`)
	starPattern    = regexp.MustCompile(`^\*[ \t]*$`)
)

// modelMatch takes lists apart with patterns.
func modelMatch(lines []string) bool {
	for _, line := range lines {
		for line != "" {
			match := elementPattern.FindStringSubmatch(line)
			element := match[1] + match[2]
			if oursPattern.MatchString(element) || starPattern.MatchString(element) {
				return true
			}
			line = strings.TrimPrefix(line[len(match[0]):], ",")
		}
	}
	return false
}
