package throttle

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHandler(t *testing.T) {
	throttle := New(0.01, 2)
	defer throttle.Close()
	served := 0
	handler := throttle.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
	ask := func(remote string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		r.RemoteAddr = remote
		handler.ServeHTTP(w, r)
		return w
	}
	for i, left := range []string{"1", "0"} {
		w := ask("127.0.0.1:1")
		if w.Code != http.StatusOK || w.Header().Get("RateLimit-Limit") != "2" || w.Header().Get("RateLimit-Remaining") != left || w.Header().Get("Retry-After") != "" {
			t.Errorf("request %d: got %d %v", i, w.Code, w.Header())
		}
	}
	w := ask("127.0.0.1:2")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("RateLimit-Remaining") != "0" || w.Header().Get("Retry-After") != "100" ||
		w.Header().Get("RateLimit-Reset") != "200" || !strings.Contains(w.Body.String(), `"statusCode":429`) {
		t.Errorf("the third request: got %d %v %s", w.Code, w.Header(), w.Body)
	}
	if w := ask("127.0.0.2:2"); w.Code != http.StatusOK || served != 3 {
		t.Errorf("another client: got %d, and %d were served", w.Code, served)
	}
}
