package web_test

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"strata/internal/testkit/must"
	"strata/metadata/internal/web"
)

func TestWithoutCredentials(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://m.io/1.json":              "https://m.io/1.json",
		"https://user:word@m.io/1.json":    "https://m.io/1.json",
		"https://user@m.io":                "https://m.io",
		"https://a@b@m.io/":                "https://m.io/",
		"https://user:wo rd@m.io/":         "https://m.io/",
		"//user:word@m.io/":                "//m.io/",
		"http:user:word@m.io/":             "http:m.io/",
		"https://m.io/@user":               "https://m.io/@user",
		"https://m.io?to=a@b":              "https://m.io?to=a@b",
		"https://m.io#a@b":                 "https://m.io#a@b",
		"/1.json":                          "/1.json",
		"":                                 "",
		"https://m.io/\xff":                "https://m.io/\uFFFD",
		"HTTPS://User:Word@m.io/a?b=c@d#e": "HTTPS://m.io/a?b=c@d#e",
	} {
		if got := web.WithoutCredentials(raw); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

// http and https of a host are one host. Its other ports are separate hosts.
func TestHostName(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://m.io/1.json":      "m.io",
		"https://M.IO./":          "m.io",
		"http://m.io:80":          "m.io",
		"https://user@m.io:443":   "m.io",
		"http://m.io:8080/":       "m.io:8080",
		"http://[::0:1]/":         "::1",
		"http://[::ffff:8.8.8.8]": "8.8.8.8",
		"https://[2606::1]:8443/": "[2606::1]:8443",
	} {
		if got := web.HostName(raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

// FuzzWithoutCredentials checks that everything which net/url reads as credentials is removed, and nothing else.
func FuzzWithoutCredentials(f *testing.F) {
	for _, seed := range []string{
		"https://user:word@m.io/1.json?a=b@c#d", "//a@b/c", "http://[::1]:80/", "mailto:a@b", "a/b@c", "http://@m.io", "x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		shown := web.WithoutCredentials(raw)
		before, err := url.Parse(raw)
		if err != nil || before.Host == "" || !utf8.ValidString(raw) {
			return
		}
		after := must.Get(url.Parse(shown))(t)
		before.User = nil
		if after.String() != before.String() {
			t.Fatalf("%q: got %q, want %q", raw, after, before)
		}
	})
}

// FuzzEscapeQuery checks that an escaped query is one word, has the same meaning, and does not change when escaped
// again.
func FuzzEscapeQuery(f *testing.F) {
	for _, seed := range []string{"", "a=b&c=d", "a b", "é=%20", "\x00\r\n", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		escaped := web.EscapeQuery(query)
		for i := range len(escaped) {
			if escaped[i] <= ' ' || escaped[i] >= 0x7f {
				t.Fatalf("%q: %q is not one word", query, escaped)
			}
		}
		if again := web.EscapeQuery(escaped); again != escaped {
			t.Fatalf("%q: %q becomes %q", query, escaped, again)
		}
		want, err := url.PathUnescape(query)
		if err != nil {
			return
		}
		if got, err := url.PathUnescape(escaped); err != nil || got != want {
			t.Fatalf("%q: means %q (%v), want %q", query, got, err, want)
		}
	})
}
