package admin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/projections/admin"
)

// Without a token only loopback addresses are allowed.
func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address, token string
		loopback       bool
		err            string
	}{
		{"127.0.0.1:3998", "", true, ""},
		{"127.3.2.1:0", "", true, ""},
		{"[::1]:3998", "", true, ""},
		{"127.0.0.1:3998", "secret", true, ""},
		{"192.0.2.1:3998", "", false, "set a token"},
		{"192.0.2.1:3998", "secret", false, ""},
		{"0.0.0.0:3998", "", false, "set a token"},
		{"[::]:3998", "", false, "set a token"},
		{":3998", "", false, "set a token"},
		{":3998", "secret", false, ""},
		{"nonsense", "", false, "not an address to listen on"},
		{"127.0.0.1:many", "secret", false, "not an address to listen on"},
	} {
		loopback, err := admin.CheckAddress(tc.address, tc.token)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || err == nil && loopback != tc.loopback {
			t.Errorf("%s with token %q: got %t and %v, want %t and %q", tc.address, tc.token, loopback, err, tc.loopback, tc.err)
		}
	}
}

// Requests from pages of other origins, under foreign host names, or without the token reach nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	reached := 0
	reads := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached++
		w.WriteHeader(http.StatusNoContent)
	})
	alone := admin.New(admin.Config{Reads: reads, Loopback: true})
	locked := admin.New(admin.Config{Reads: reads, Loopback: true, Token: "secret"})
	remote := admin.New(admin.Config{Reads: reads, Token: "secret"})
	bearer := []string{"Authorization", "Bearer secret"}
	for _, tc := range []struct {
		name   string
		api    http.Handler
		method string
		host   string
		header []string
		want   int
	}{
		{"curl", alone, "GET", "127.0.0.1:3998", nil, 204},
		{"curl by name", alone, "GET", "localhost:3998", nil, 204},
		{"curl by an IPv6 address", alone, "GET", "[::1]:3998", nil, 204},
		{"curl without a port", alone, "POST", "127.0.0.1", nil, 204},
		{"a page of its own", alone, "POST", "127.0.0.1:3998", []string{"Origin", "http://127.0.0.1:3998", "Sec-Fetch-Site", "same-origin"}, 204},
		{"an address typed into a browser", alone, "GET", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "none"}, 204},
		{"a foreign name that resolves to this machine", alone, "GET", "rebound.example:3998", nil, 403},
		{"a name that looks like an address", alone, "GET", "127.0.0.1.example:3998", nil, 403},
		{"no name", alone, "GET", "", nil, 403},
		{"another machine's address", alone, "GET", "192.0.2.1:3998", nil, 403},
		{"a read by a script of another origin", alone, "GET", "127.0.0.1:3998", []string{"Origin", "http://evil.example"}, 403},
		{"a write by a script of another origin", alone, "POST", "127.0.0.1:3998", []string{"Origin", "http://evil.example"}, 403},
		{"a script without an origin", alone, "POST", "127.0.0.1:3998", []string{"Origin", "null"}, 403},
		{"a page from another port", alone, "POST", "127.0.0.1:3998", []string{"Origin", "http://127.0.0.1:8080"}, 403},
		{"an image on another page", alone, "GET", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a form of another page", alone, "POST", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"a CORS preflight", alone, "OPTIONS", "127.0.0.1:3998", []string{"Origin", "http://evil.example", "Access-Control-Request-Method", "DELETE"}, 403},
		{"with the token", locked, "GET", "127.0.0.1:3998", bearer, 204},
		{"with the token, in another spelling of the scheme", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "bearer  secret "}, 204},
		{"without the token", locked, "GET", "127.0.0.1:3998", nil, 401},
		{"with another token", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Bearer secres"}, 401},
		{"with a part of the token", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Bearer secre"}, 401},
		{"with the token as a password", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Basic secret"}, 401},
		{"with the token, under a foreign name", locked, "GET", "rebound.example", bearer, 403},
		{"from another machine, with the token", remote, "POST", "strata.example:3998", bearer, 204},
		{"from another machine, without the token", remote, "POST", "strata.example:3998", nil, 401},
		{"from another machine, by a script of another origin", remote, "POST", "strata.example:3998", append(bearer, "Origin", "http://evil.example"), 403},
	} {
		for _, path := range []string{"/extended/v1/status", "/openapi.json", "/admin/v1/projections"} {
			if tc.want == 204 && path != "/extended/v1/status" {
				continue
			}
			before := reached
			r := httptest.NewRequest(tc.method, path, nil)
			r.Host = tc.host
			for i := 0; i < len(tc.header); i += 2 {
				r.Header.Set(tc.header[i], tc.header[i+1])
			}
			w := httptest.NewRecorder()
			tc.api.ServeHTTP(w, r)
			if w.Code != tc.want || (reached > before) != (tc.want == 204) {
				t.Errorf("%s, %s: got %d %s, want %d", tc.name, path, w.Code, w.Body, tc.want)
			}
			if tc.want == 401 && !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("%s: got %v, want a WWW-Authenticate header", tc.name, w.Header())
			}
		}
	}
}
