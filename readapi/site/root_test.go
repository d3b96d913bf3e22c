package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/readapi"
)

// A browser gets a page, and a program is led to JSON.
func TestRoot(t *testing.T) {
	t.Parallel()
	api := readapi.New(readapi.Config{})
	for accept, page := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"Text/HTML;q=0.5":                   true,
		"":                                  false,
		"*/*":                               false,
		"application/json":                  false,
		"application/json, text/plain, */*": false,
		"application/json, text/html;q=0.5": false,
		"text/html;q=0":                     false,
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		if accept != "" {
			request.Header.Set("Accept", accept)
		}
		got := httptest.NewRecorder()
		api.ServeHTTP(got, request)
		if vary := strings.Join(got.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept") {
			t.Errorf("%q: got Vary %q", accept, vary)
		}
		if page {
			if got.Code != http.StatusOK || !strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") || !strings.Contains(got.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%q: got %d %v", accept, got.Code, got.Header())
			}
			for _, link := range []string{`href="console/"`, `href="docs"`, `href="extended/v1/status"`} {
				if !strings.Contains(got.Body.String(), link) {
					t.Errorf("%q: no %s in the page", accept, link)
				}
			}
		} else if got.Code != http.StatusMovedPermanently || got.Header().Get("Location") != "/extended" {
			t.Errorf("%q: got %d %v, want to be led to /extended", accept, got.Code, got.Header())
		}
	}
}
