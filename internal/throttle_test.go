package internal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/throttle"
)

func TestThrottle(t *testing.T) {
	limit := throttle.New(0.001, 2)
	defer limit.Close()
	for i := range 2 {
		if got := limit.Take("127.0.0.1:1000"); !got.OK || got.Limit != 2 || got.Left != 1-i {
			t.Fatalf("request %d of a burst of 2: got %+v", i, got)
		}
	}
	if got := limit.Take("127.0.0.1:2000"); got.OK || got.Wait <= 0 {
		t.Errorf("third request of a burst of 2: got %+v", got)
	}
	if got := limit.Take("127.0.0.2:1000"); !got.OK {
		t.Error("the limit of one client refuses another client")
	}
	var none *throttle.Throttle
	if got := none.Take("127.0.0.1:1000"); !got.OK || throttle.PerSecond(0) != nil {
		t.Errorf("without a limit: got %+v", got)
	}
}

// The header tells clients the burst, so it is what the documentation says: twice the rate.
func TestBurstIsTwiceTheRate(t *testing.T) {
	for _, tc := range []struct {
		perSecond float64
		want      int
	}{{0.001, 1}, {1, 2}, {2.3, 5}, {5, 10}} {
		limit := throttle.PerSecond(tc.perSecond)
		defer limit.Close()
		if got := limit.Take("127.0.0.1:1000").Limit; got != tc.want {
			t.Errorf("%v requests a second: got bursts of %d, want %d", tc.perSecond, got, tc.want)
		}
	}
}

// Of several limits, the header shows the one that leaves less, and the one that refuses.
func TestThrottleShow(t *testing.T) {
	header := http.Header{}
	for _, tc := range []struct {
		allowance throttle.Allowance
		want      string
	}{
		{throttle.Allowance{OK: true}, ""},
		{throttle.Allowance{OK: true, Limit: 10, Left: 5}, "5"},
		{throttle.Allowance{OK: true, Limit: 100, Left: 70}, "5"},
		{throttle.Allowance{OK: true, Limit: 4, Left: 3}, "3"},
		{throttle.Allowance{Limit: 7, Left: 4}, "4"},
	} {
		if ok := tc.allowance.Show(header); ok != tc.allowance.OK || header.Get("RateLimit-Remaining") != tc.want {
			t.Errorf("%+v: got %v %v", tc.allowance, ok, header)
		}
	}
}

func TestThrottleHandler(t *testing.T) {
	limit := throttle.New(0.01, 2)
	defer limit.Close()
	served := 0
	handler := limit.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
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
