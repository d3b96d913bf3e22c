package clientaddr_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"strata/internal/clientaddr"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	trusted := []string{"10.0.0.0/8", "192.0.2.7", "2001:db8::/32"}
	for name, c := range map[string]struct {
		networks []string
		header   clientaddr.Header
		remote   string
		lines    []string
		want     string
	}{
		"no proxy is trusted":          {nil, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"1.1.1.1"}, "10.0.0.1:5"},
		"a stranger's claim":           {trusted, clientaddr.XForwardedFor, "9.9.9.9:5", []string{"1.1.1.1"}, "9.9.9.9:5"},
		"a proxy's word":               {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"1.1.1.1"}, "1.1.1.1:0"},
		"a client's claim to a proxy":  {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"6.6.6.6, 1.1.1.1"}, "1.1.1.1:0"},
		"several proxies":              {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"6.6.6.6, 1.1.1.1, 192.0.2.7"}, "1.1.1.1:0"},
		"several lines":                {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"6.6.6.6", "1.1.1.1", "10.2.3.4"}, "1.1.1.1:0"},
		"proxies alone":                {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"10.0.0.2, 10.0.0.3"}, "10.0.0.2:0"},
		"nothing":                      {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", nil, "10.0.0.1:5"},
		"rubbish":                      {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"1.1.1.1, unknown"}, "10.0.0.1:5"},
		"a port":                       {trusted, clientaddr.XForwardedFor, "10.0.0.1:5", []string{"1.1.1.1:80"}, "1.1.1.1:0"},
		"version 6":                    {trusted, clientaddr.XForwardedFor, "[2001:db8::1]:5", []string{"2001:dead::1"}, "[2001:dead::1]:0"},
		"version 4 in 6":               {trusted, clientaddr.XForwardedFor, "[::ffff:10.0.0.1]:5", []string{"1.1.1.1"}, "1.1.1.1:0"},
		"the other field is not read":  {trusted, clientaddr.Forwarded, "10.0.0.1:5", []string{"1.1.1.1"}, "10.0.0.1:5"},
		"the standard's field":         {trusted, clientaddr.Forwarded, "10.0.0.1:5", []string{`for=6.6.6.6, proto=http;For="[2001:dead::1]:80";by=10.0.0.1`}, "[2001:dead::1]:0"},
		"an obfuscated identifier":     {trusted, clientaddr.Forwarded, "10.0.0.1:5", []string{`for=_hidden`}, "10.0.0.1:5"},
		"a proxy without its own word": {trusted, clientaddr.Forwarded, "10.0.0.1:5", []string{`proto=http`}, "10.0.0.1:5"},
	} {
		proxies, err := clientaddr.Parse(c.networks, c.header)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		handler := proxies.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		r.Header[string(c.header)] = c.lines
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if _, err := clientaddr.Parse([]string{"10.0.0.0/33"}, clientaddr.XForwardedFor); err == nil {
		t.Error("a network that is none is taken")
	}
}
