package internal_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"strata/internal/clientaddr"
	"strata/internal/testkit/must"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := []string{"10.0.0.0/8", "192.0.2.7", "2001:db8::/32"}
	for name, c := range map[string]struct {
		networks []string
		remote   string
		lines    []string
		want     string
	}{
		"no proxy is trusted":         {nil, "10.0.0.1:5", []string{"1.1.1.1"}, "10.0.0.1:5"},
		"a stranger's claim":          {trusted, "9.9.9.9:5", []string{"1.1.1.1"}, "9.9.9.9:5"},
		"a proxy's word":              {trusted, "10.0.0.1:5", []string{"1.1.1.1"}, "1.1.1.1:0"},
		"a client's claim to a proxy": {trusted, "10.0.0.1:5", []string{"6.6.6.6, 1.1.1.1"}, "1.1.1.1:0"},
		"several proxies":             {trusted, "10.0.0.1:5", []string{"6.6.6.6, 1.1.1.1, 192.0.2.7"}, "1.1.1.1:0"},
		"several lines":               {trusted, "10.0.0.1:5", []string{"6.6.6.6", "1.1.1.1", "10.2.3.4"}, "1.1.1.1:0"},
		"proxies alone":               {trusted, "10.0.0.1:5", []string{"10.0.0.2, 10.0.0.3"}, "10.0.0.2:0"},
		"nothing":                     {trusted, "10.0.0.1:5", nil, "10.0.0.1:5"},
		"rubbish":                     {trusted, "10.0.0.1:5", []string{"1.1.1.1, unknown"}, "10.0.0.1:5"},
		"a port":                      {trusted, "10.0.0.1:5", []string{"1.1.1.1:80"}, "1.1.1.1:0"},
		"version 6":                   {trusted, "[2001:db8::1]:5", []string{"2001:dead::1"}, "[2001:dead::1]:0"},
		"version 4 in 6":              {trusted, "[::ffff:10.0.0.1]:5", []string{"1.1.1.1"}, "1.1.1.1:0"},
	} {
		proxies := must.Get(clientaddr.Parse(c.networks))(t)
		got := ""
		handler := proxies.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		r.Header["X-Forwarded-For"] = c.lines
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if _, err := clientaddr.Parse([]string{"10.0.0.0/33"}); err == nil {
		t.Error("a network that is none is taken")
	}
}
