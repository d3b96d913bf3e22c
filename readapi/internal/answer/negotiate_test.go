package answer_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/internal/testkit/check"
	"strata/readapi/internal/answer"
)

func TestAcceptEncoding(t *testing.T) {
	a := answer.New(jsonConfig())
	for _, c := range []struct {
		lines []string // nil: no such header
		want  string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"identity"}, ""},
		{[]string{"gzip"}, "gzip"},
		{[]string{"zstd"}, "zstd"},
		{[]string{"GZip"}, "gzip"},
		{[]string{"x-gzip"}, "gzip"},
		{[]string{"br"}, "br"},
		{[]string{"gzip, deflate"}, "gzip"},
		{[]string{"gzip, deflate, br"}, "br"},
		{[]string{"br, gzip, deflate"}, "br"},
		{[]string{"gzip, compress, deflate, br"}, "br"},
		{[]string{"BR;q=0.9, gzip;q=0.9"}, "br"},
		{[]string{"br;q=0.8, gzip;q=0.9"}, "gzip"},
		{[]string{"br;q=0.9, zstd;q=0.8"}, "br"},
		{[]string{"br;q=0, gzip"}, "gzip"},
		{[]string{"gzip, deflate, br, zstd"}, "zstd"},
		{[]string{"zstd,gzip"}, "zstd"},
		{[]string{"*"}, "zstd"},
		{[]string{"*;q=0"}, ""}, // nothing is acceptable
		{[]string{"identity;q=0"}, ""},
		{[]string{"identity;q=0, br"}, "br"},
		{[]string{"identity;q=0, gzip;q=0.001"}, "gzip"},
		{[]string{"identity;q=0, *"}, "zstd"},
		{[]string{"gzip;q=0"}, ""},
		{[]string{"gzip;q=0, *"}, "zstd"},
		{[]string{"zstd;q=0, *;q=0.1"}, "br"},
		{[]string{"zstd;q=0, br;q=0, *;q=0.1"}, "gzip"},
		{[]string{"identity, *;q=0"}, ""},
		{[]string{"gzip;q=0.9, zstd;q=0.8"}, "gzip"},
		{[]string{"gzip;q=0.8, zstd;q=0.8"}, "zstd"},
		{[]string{"gzip;q=0.5, identity"}, ""},
		{[]string{"gzip;q=0.5, identity;q=0.5"}, "gzip"},
		{[]string{"gzip;q=0.001"}, "gzip"}, // identity is acceptable, but was not asked for
		{[]string{"gzip;q=1.000"}, "gzip"},
		{[]string{"gzip;q=1."}, "gzip"},
		{[]string{"gzip;q=0.", "gzip;q=0.000"}, ""},
		{[]string{"compress;q=0.5, gzip;q=1.0"}, "gzip"},
		{[]string{"gzip", "zstd"}, "zstd"}, // several header lines are one list
		{[]string{"compress", " zstd ; q=0.3 ,\tgzip\t;\tq=0.4 "}, "gzip"},
		{[]string{",, ,gzip,,"}, "gzip"},
		{[]string{"gzip;level=9;Q=0.2, identity;q=0.1"}, "gzip"},
		{[]string{"gzip;level=9;q=0.1, identity;q=0.2"}, ""},
		{[]string{"gzip;q=yes"}, ""}, // not understood, passed over
		{[]string{"gzip;q=2"}, ""},
		{[]string{"gzip;q=1.001"}, ""},
		{[]string{"gzip;q=-1"}, ""},
		{[]string{"gzip;q="}, ""},
		{[]string{"gzip;q=0.5x"}, ""},
		{[]string{"gzip;q=0.33333"}, "gzip"},
		{[]string{"gzip;q=0, gzip"}, "gzip"}, // the last one counts
		{[]string{"gzip, gzip;q=0"}, ""},
		{[]string{"gzipp, zst"}, ""},
	} {
		header := http.Header{}
		if c.lines != nil {
			header["Accept-Encoding"] = c.lines
		}
		w := get(a, header)
		check.Equal(t, fmt.Sprint(c.lines), w.Header().Get("Content-Encoding"), c.want)
		check.Equal(t, fmt.Sprint(c.lines)+": the body", decoded(t, c.want, w.Body), string(jsonConfig().Body))
		etag := tagHex
		if c.want != "" {
			etag += "-" + c.want
		}
		wantField(t, w.Header(), "ETag", strconv.Quote(etag))
	}
}

// Lists as the grammar has them, however they are written.
func TestAcceptEncodingProperty(t *testing.T) {
	a := answer.New(jsonConfig())
	element := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"gzip", "GZIP", "x-gzip", "zstd", "identity", "Identity", "*", "br", "deflate"}).Draw(t, "coding") +
			rapid.SampledFrom([]string{"", ";q=0", ";q=1", "; q=0.5", ";q=0.50", " ;Q=0.123", ";q=0.124", ";q=1.0", ";a=b", ";a=b;q=0.7", ";q=x"}).Draw(t, "weight")
	})
	line := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(element, 0, 5).Draw(t, "elements"), rapid.SampledFrom([]string{",", ", ", " ,\t", ",,"}).Draw(t, "comma"))
	})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 3).Draw(t, "lines")
		check.Equal(t, fmt.Sprint(lines), get(a, http.Header{"Accept-Encoding": lines}).Header().Get("Content-Encoding"), modelEncoding(lines))
	})
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"", "gzip", "gzip, deflate, br, zstd", "*;q=0.1, zstd;q=0", "identity;q=0,gzip;q=1.0001", "zstd;q=0.9999;q=0", ";,;q=,"} {
		f.Add(seed, "br")
	}
	a := answer.New(jsonConfig())
	f.Fuzz(func(t *testing.T, first, second string) {
		lines := []string{first, second}
		check.Equal(t, fmt.Sprint(lines), get(a, http.Header{"Accept-Encoding": lines}).Header().Get("Content-Encoding"), modelEncoding(lines))
	})
}

var (
	codingPattern = regexp.MustCompile(`^(?i:(\*)|(identity)|(?:x-)?(gzip)|(zstd)|(br))$`)
	weightPattern = regexp.MustCompile(`^(?:0(?:\.[0-9]*)?|1(?:\.0{0,3}|\.000[0-9]*)?)$`)
)

// modelEncoding is the rule of the RFC, slow and straight: what each coding weighs, then the heaviest.
func modelEncoding(lines []string) string {
	said := map[string]float64{}
	for _, element := range strings.Split(strings.Join(lines, ","), ",") {
		parts := strings.Split(element, ";")
		weight, understood := 1.0, true
		for _, parameter := range parts[1:] {
			if q, isWeight := strings.CutPrefix(strings.ReplaceAll(strings.Trim(parameter, " \t"), "Q=", "q="), "q="); isWeight {
				if understood = weightPattern.MatchString(q); understood {
					weight, _ = strconv.ParseFloat(q[:min(len(q), len("0.123"))], 64)
				}
				break
			}
		}
		if match := codingPattern.FindStringSubmatch(strings.Trim(parts[0], " \t")); match != nil && understood {
			said[strings.ToLower(strings.Join(match[1:], ""))] = weight
		}
	}
	weigh := func(coding string, silent float64) float64 {
		if weight, ok := said[coding]; ok {
			return weight
		}
		if weight, ok := said["*"]; ok {
			return weight
		}
		return silent
	}
	best, heaviest := "", weigh("identity", 0.0001)
	if weight := weigh("gzip", 0); weight > 0 && weight >= heaviest {
		best, heaviest = "gzip", weight
	}
	if weight := weigh("br", 0); weight > 0 && weight >= heaviest {
		best, heaviest = "br", weight
	}
	if weight := weigh("zstd", 0); weight > 0 && weight >= heaviest {
		best = "zstd"
	}
	return best
}
