package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
)

// limitedServer answers 429 with a Retry-After until well is set.
type limitedServer struct {
	*server
	retryAfter atomic.Value
	well       atomic.Bool
}

func newLimitedServer(t *testing.T, retryAfter string) *limitedServer {
	l := new(limitedServer)
	l.retryAfter.Store(retryAfter)
	l.server = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if l.well.Load() {
			_, _ = w.Write([]byte("{}"))
			return
		}
		if s, _ := l.retryAfter.Load().(string); s != "" {
			w.Header().Set("Retry-After", s)
		}
		w.WriteHeader(http.StatusTooManyRequests)
	})
	return l
}

// T11, T12, T13, D6: a host that answered 429 is paused. Other hosts are not affected.
func TestLimitedHostIsPaused(t *testing.T) {
	t.Parallel()
	l := newLimitedServer(t, "999")
	other := serve(t, answer(http.StatusOK, "{}"))
	c := newClient(t, allowAll())
	now := newClock()
	c.SetClock(now.now)

	e := getOne(t, c, l.URL+"/1.json")
	if e.Status != http.StatusTooManyRequests || e.Header["retry-after"] != "999" || e.Failure != "" {
		t.Fatalf("got status %d, header %v, failure %q", e.Status, e.Header, e.Failure)
	}
	first := e
	l.well.Store(true)
	for _, c2 := range []struct {
		after time.Duration
		left  string
	}{{0, "999"}, {500 * time.Millisecond, "999"}, {998 * time.Second, "1"}} {
		now.advance(c2.after)
		e = getOne(t, c, l.URL+"/2.json")
		if e.Status != http.StatusTooManyRequests || e.Header["retry-after"] != c2.left || e.Failure != "" ||
			!strings.Contains(e.Error, l.hostPort()+" was not asked") || e.URL != l.URL+"/2.json" {
			t.Fatalf("got status %d, header %v (%s), want 429 and %s s left", e.Status, e.Header, e.Error, c2.left)
		}
	}
	made := getOne(t, c, other.URL)
	if wait := web.Paused([]fetch.Exchange{e, e}); wait != time.Second {
		t.Errorf("got a pause of %s, want the last second", wait)
	}
	for _, exchanges := range [][]fetch.Exchange{{made}, {e, made}, {made, e}, {first, e}, nil} {
		if wait := web.Paused(exchanges); wait != 0 {
			t.Errorf("%v: got a pause of %s, although somebody was asked", exchanges, wait)
		}
	}
	// A report with this exchange does not count as a failed attempt.
	report := fetch.Report{Want: fetch.Want{Kind: fetch.Document, URI: l.URL}, Exchanges: []fetch.Exchange{e}}
	if _, p := report.ResourceBody(); p == nil || p.Severity != fetch.Waiting || p.RetryAfter != time.Second {
		t.Errorf("got problem %+v", p)
	}
	if n := l.requests.Load(); n != 1 {
		t.Errorf("the host saw %d requests, want 1", n)
	}
	wantBody(t, getOne(t, c, other.URL), "{}")

	now.advance(500 * time.Millisecond)
	wantBody(t, getOne(t, c, l.URL), "{}")
	wantBody(t, getOne(t, c, l.URL), "{}")
}

// T10: without a usable Retry-After the pause lasts a minute, and it never lasts more than an hour.
func TestDurationOfAPause(t *testing.T) {
	t.Parallel()
	inTwoMinutes := time.Now().Add(2 * time.Minute).UTC().Format(http.TimeFormat)
	for header, want := range map[string][2]int{
		"":                              {60, 60},
		"soon":                          {60, 60},
		"0":                             {60, 60},
		"120":                           {120, 120},
		"99999999":                      {3600, 3600},
		inTwoMinutes:                    {115, 121},
		"Wed, 21 Oct 2015 07:28:00 GMT": {60, 60},
	} {
		c := newClient(t, allowAll())
		c.SetClock(newClock().now)
		l := newLimitedServer(t, header)
		getOne(t, c, l.URL)
		left, err := strconv.Atoi(getOne(t, c, l.URL).Header["retry-after"])
		if err != nil || left < want[0] || left > want[1] {
			t.Errorf("Retry-After %q: %d s are left (%v), want %v", header, left, err, want)
		}
	}
}

// The host that answered 429 is paused, and not the host that redirected there.
func TestLimitedBehindARedirect(t *testing.T) {
	t.Parallel()
	l := newLimitedServer(t, "30")
	start := serve(t, redirect(l.URL))
	c := newClient(t, allowAll())
	if e := getOne(t, c, start.URL); e.Status != http.StatusTooManyRequests {
		t.Fatalf("got status %d (%s)", e.Status, e.Error)
	}
	e := getOne(t, c, start.URL)
	if e.Status != http.StatusTooManyRequests || !strings.Contains(e.Error, "was not asked") ||
		e.Header[web.HeaderFinalURL] != l.URL || e.Header["retry-after"] == "" {
		t.Errorf("got status %d (%s), header %v", e.Status, e.Error, e.Header)
	}
	if start.requests.Load() != 2 || l.requests.Load() != 1 {
		t.Errorf("the first host saw %d requests, the limited one %d; want 2 and 1", start.requests.Load(), l.requests.Load())
	}
}

// Unused hosts are forgotten, except those that are paused.
func TestUnusedHostsAreForgotten(t *testing.T) {
	t.Parallel()
	l := newLimitedServer(t, "3600")
	c := newClient(t, web.Config{AllowHosts: []string{l.hostPort()}, Resolver: &fakeResolver{}})
	now := newClock()
	c.SetClock(now.now)
	getOne(t, c, l.URL)
	for i := range 5000 {
		if i%1000 == 0 {
			now.advance(11 * time.Minute)
		}
		getOne(t, c, fmt.Sprintf("http://%d.example/", i))
	}
	if n := c.KnownHosts(); n > 2500 {
		t.Errorf("%d hosts are remembered", n)
	}
	if e := getOne(t, c, l.URL); e.Status != http.StatusTooManyRequests || l.requests.Load() != 1 {
		t.Errorf("got status %d after %d requests; the paused host was forgotten", e.Status, l.requests.Load())
	}
}

// TestConcurrentUse is for the race detector: many concurrent requests to hosts that behave differently.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	l := newLimitedServer(t, "1")
	bad, good := serve(t, answer(http.StatusBadGateway, "")), serve(t, answer(http.StatusOK, "{}"))
	away := serve(t, redirect(good.URL))
	c := newClient(t, web.Config{AllowPrivate: true, GatewayHeader: map[string]http.Header{good.URL: {"X-Key": {"k"}}}})
	candidates := viaGateways("/", l.URL, bad.URL, away.URL, good.URL)
	var done sync.WaitGroup
	for range 16 {
		done.Go(func() {
			for range 10 {
				exchanges := c.Get(t.Context(), candidates, limit, "", anything)
				if len(exchanges) == 0 || exchanges[len(exchanges)-1].Status != http.StatusOK {
					t.Errorf("got %s", statuses(exchanges))
				}
			}
		})
	}
	done.Wait()
}
