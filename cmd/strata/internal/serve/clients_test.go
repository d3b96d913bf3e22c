package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A costly read counts for both limits, and any other for one.
func TestCostlyReads(t *testing.T) {
	t.Parallel()
	c := clientFlags{ForwardedHeader: "X-Forwarded-For", RateLimit: 2, CostlyRateLimit: 0.001}
	if err := c.parseClients(); err != nil {
		t.Fatal(err)
	}
	handler := c.limited(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for i, tc := range []struct {
		target string
		status int
		limit  string
	}{
		{"/extended", 200, "4"},
		{"/extended/v1/search/x", 200, "1"},
		{"/mesh/block", 429, "1"},
		{"/extended/v2/blocks", 200, "4"},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, tc.target, nil))
		if w.Code != tc.status || w.Header().Get("RateLimit-Limit") != tc.limit || (w.Code == 429) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("request %d, %s: got %d %v, want %d of %s", i, tc.target, w.Code, w.Header(), tc.status, tc.limit)
		}
	}
}
