package admin_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/projections/admin"
)

// Without a token it listens where nobody else comes, and nowhere else.
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
		{"nonsense", "", false, "no address to listen on"},
		{"127.0.0.1:many", "secret", false, "no address to listen on"},
	} {
		loopback, err := admin.CheckAddress(tc.address, tc.token)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || err == nil && loopback != tc.loopback {
			t.Errorf("%s with token %q: got %t and %v, want %t and %q", tc.address, tc.token, loopback, err, tc.loopback, tc.err)
		}
	}
}

// Requests that come from pages of others, or under names of others, or without the token, reach nothing.
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
		{"an address that was typed", alone, "GET", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "none"}, 204},
		{"a name that was made to mean this machine", alone, "GET", "rebound.example:3998", nil, 403},
		{"a name like an address", alone, "GET", "127.0.0.1.example:3998", nil, 403},
		{"no name", alone, "GET", "", nil, 403},
		{"another machine's address", alone, "GET", "192.0.2.1:3998", nil, 403},
		{"a script of another origin that reads", alone, "GET", "127.0.0.1:3998", []string{"Origin", "http://evil.example"}, 403},
		{"a script of another origin that writes", alone, "POST", "127.0.0.1:3998", []string{"Origin", "http://evil.example"}, 403},
		{"a script of no origin", alone, "POST", "127.0.0.1:3998", []string{"Origin", "null"}, 403},
		{"another port's page", alone, "POST", "127.0.0.1:3998", []string{"Origin", "http://127.0.0.1:8080"}, 403},
		{"an image on another page", alone, "GET", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a form of another page", alone, "POST", "127.0.0.1:3998", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"a question before a request", alone, "OPTIONS", "127.0.0.1:3998", []string{"Origin", "http://evil.example", "Access-Control-Request-Method", "DELETE"}, 403},
		{"with the token", locked, "GET", "127.0.0.1:3998", bearer, 204},
		{"with the token, in other letters", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "bearer  secret "}, 204},
		{"without the token", locked, "GET", "127.0.0.1:3998", nil, 401},
		{"with another token", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Bearer secres"}, 401},
		{"with a part of the token", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Bearer secre"}, 401},
		{"with the token as a password", locked, "GET", "127.0.0.1:3998", []string{"Authorization", "Basic secret"}, 401},
		{"with the token, under another name", locked, "GET", "rebound.example", bearer, 403},
		{"from elsewhere, with the token", remote, "POST", "strata.example:3998", bearer, 204},
		{"from elsewhere, without it", remote, "POST", "strata.example:3998", nil, 401},
		{"from elsewhere, by a script of another origin", remote, "POST", "strata.example:3998", append(bearer, "Origin", "http://evil.example"), 403},
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
				t.Errorf("%s: got %v, want a word of how to authenticate", tc.name, w.Header())
			}
		}
	}
}
