package throttle

import (
	"net/http"
	"testing"
)

func TestTake(t *testing.T) {
	throttle := New(0.001, 2)
	defer throttle.Close()
	for i := range 2 {
		if got := throttle.Take("127.0.0.1:1000"); !got.OK || got.Limit != 2 || got.Left != 1-i {
			t.Fatalf("request %d of a burst of 2: got %+v", i, got)
		}
	}
	if got := throttle.Take("127.0.0.1:2000"); got.OK || got.Wait <= 0 {
		t.Errorf("third request of a burst of 2: got %+v", got)
	}
	if got := throttle.Take("127.0.0.2:1000"); !got.OK {
		t.Error("the limit of one client refuses another client")
	}
	var none *Throttle
	if got := none.Take("127.0.0.1:1000"); !got.OK || PerSecond(0) != nil {
		t.Errorf("without a limit: got %+v", got)
	}
}

// The header tells clients the burst, so it is what the documentation says: twice the rate.
func TestBurstIsTwiceTheRate(t *testing.T) {
	for _, tc := range []struct {
		perSecond float64
		want      int
	}{{0.001, 1}, {1, 2}, {2.3, 5}, {5, 10}} {
		throttle := PerSecond(tc.perSecond)
		defer throttle.Close()
		if got := throttle.Take("127.0.0.1:1000").Limit; got != tc.want {
			t.Errorf("%v requests a second: got bursts of %d, want %d", tc.perSecond, got, tc.want)
		}
	}
}

// Of several limits, the header shows the one that leaves less, and the one that refuses.
func TestShow(t *testing.T) {
	header := http.Header{}
	for _, tc := range []struct {
		allowance Allowance
		want      string
	}{
		{Allowance{OK: true}, ""},
		{Allowance{OK: true, Limit: 10, Left: 5}, "5"},
		{Allowance{OK: true, Limit: 100, Left: 70}, "5"},
		{Allowance{OK: true, Limit: 4, Left: 3}, "3"},
		{Allowance{Limit: 7, Left: 4}, "4"},
	} {
		if ok := tc.allowance.Show(header); ok != tc.allowance.OK || header.Get("RateLimit-Remaining") != tc.want {
			t.Errorf("%+v: got %v %v", tc.allowance, ok, header)
		}
	}
}
