package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// fuzzReads asks for paths below /extended with queries, and expects no failure of the server, and JSON where that is said.
func (s *Site) FuzzReads(f *testing.F) {
	f.Helper()
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: "/extended/" + path, RawQuery: query}
		r.RequestURI = r.URL.RequestURI()
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusFound, http.StatusMovedPermanently, http.StatusTemporaryRedirect:
		default:
			t.Errorf("%q ? %q: got %d %s", path, query, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == "application/json; charset=utf-8" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q ? %q: got %s, which is no JSON", path, query, w.Body)
		}
	})
}
