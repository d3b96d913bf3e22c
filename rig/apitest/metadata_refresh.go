package apitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
)

// wish posts a body from an address.
func (s *Site) Wish(path, body, from string) Reply {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.RemoteAddr = from
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	return Reply{w.Code, w.Header(), w.Body.String()}
}
