package web_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
)

func statuses(exchanges []fetch.Exchange) string {
	var list []string
	for _, e := range exchanges {
		if e.Failure != "" {
			list = append(list, string(e.Failure))
		} else {
			list = append(list, fmt.Sprint(e.Status))
		}
	}
	return fmt.Sprint(list)
}

// Whatever a gateway says but success, the next one is asked.
func TestGatewayFailover(t *testing.T) {
	t.Parallel()
	good := serve(t, answer(http.StatusOK, "{}"))
	for _, status := range []int{400, 403, 404, 410, 429, 500, 504} {
		bad := serve(t, answer(status, ""))
		exchanges := newClient(t, private()).Get(t.Context(), through("/ipfs/cid", bad.URL, good.URL), limit, "")
		if got, want := statuses(exchanges), fmt.Sprintf("[%d 200]", status); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if last := exchanges[len(exchanges)-1]; last.Gateway != good.URL || last.URL != good.URL+"/ipfs/cid" {
			t.Errorf("got %s through %s", last.URL, last.Gateway)
		}
	}
	config := private()
	config.Timeouts.Header = 200 * time.Millisecond
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { untilLeft(r) })
	exchanges := newClient(t, config).Get(t.Context(), through("/ipfs/cid", slow.URL, good.URL), limit, "")
	if got := statuses(exchanges); got != "[timeout 200]" {
		t.Errorf("got %s", got)
	}
}

// A definite answer ends the search.
func TestDefiniteAnswers(t *testing.T) {
	t.Parallel()
	next := serve(t, answer(http.StatusOK, "{}"))
	for _, status := range []int{http.StatusNotFound, http.StatusGone} {
		s := serve(t, answer(status, ""))
		exchanges := newClient(t, private()).Get(t.Context(), direct(s.URL, next.URL), limit, "")
		if got, want := statuses(exchanges), fmt.Sprintf("[%d]", status); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	large := serve(t, answer(http.StatusOK, "much too large"))
	exchanges := newClient(t, private()).Get(t.Context(), through("/ipfs/cid", large.URL, next.URL), 5, "")
	if got := statuses(exchanges); got != "[too_large]" {
		t.Errorf("got %s: what is too large at one gateway is so at all", got)
	}
	if next.requests.Load() != 0 {
		t.Error("the next candidate was asked")
	}
}

// When all fail, the failure that says most is last, and the others stand as they came.
func TestMostTellingFailureIsLast(t *testing.T) {
	t.Parallel()
	at := func(status int) string { return serve(t, answer(status, "")).URL }
	gone := serve(t, answer(http.StatusOK, ""))
	gone.Close()
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { untilLeft(r) })
	around := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	for _, c := range []struct {
		gateways []string
		want     string
	}{
		{[]string{at(404), at(403), at(500)}, "[403 500 404]"},
		{[]string{at(500), at(403), at(429)}, "[500 429 403]"},
		{[]string{slow.URL, at(502), gone.URL}, "[timeout connection 502]"},
		{[]string{slow.URL, gone.URL, at(429)}, "[connection 429 timeout]"},
		{[]string{gone.URL, at(429)}, "[429 connection]"},
		{[]string{at(429), around.URL, "ftp://gateway.example"}, "[too_many_redirects bad_uri 429]"},
		{[]string{at(500), at(503), at(500)}, "[500 503 500]"},
	} {
		config := private()
		config.Timeouts.Header = 200 * time.Millisecond
		exchanges := newClient(t, config).Get(t.Context(), through("/", c.gateways...), limit, "")
		if got := statuses(exchanges); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if exchanges := newClient(t, private()).Get(t.Context(), nil, limit, ""); len(exchanges) != 0 {
		t.Errorf("got %v without candidates", exchanges)
	}
}

// A gateway that fails moves back, for longer each time, and has its place again when it is due and works.
func TestGatewayMovesBackUntilDue(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	status.Store(500)
	first := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
	second := serve(t, answer(http.StatusOK, "{}"))
	c := newClient(t, private())
	now := newClock()
	c.SetClock(now.now)
	asked := func(want string) {
		t.Helper()
		if got := statuses(c.Get(t.Context(), through("/", first.URL, second.URL), limit, "")); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	asked("[500 200]")
	asked("[200]")
	now.advance(14 * time.Second)
	asked("[200]")
	now.advance(time.Second)
	asked("[500 200]") // due, and failed again: twice as long
	now.advance(29 * time.Second)
	asked("[200]")
	now.advance(time.Second)
	status.Store(404) // it works; the thing is not there
	asked("[404 200]")
	asked("[404 200]")
	status.Store(500)
	asked("[500 200]")
	now.advance(15 * time.Second) // what was before is forgotten
	asked("[500 200]")
	for range 60 {
		now.advance(10 * time.Minute) // never longer than that
		asked("[500 200]")
	}
}

// When no gateway is well, all are asked, the one that is due first in front.
func TestUnhealthyGatewaysAreStillAsked(t *testing.T) {
	t.Parallel()
	a, b := serve(t, answer(500, "")), serve(t, answer(503, ""))
	c := newClient(t, private())
	now := newClock()
	c.SetClock(now.now)
	first := func() string {
		exchanges := c.Get(t.Context(), through("/", a.URL, b.URL), limit, "")
		if len(exchanges) != 2 {
			t.Fatalf("got %s, want both", statuses(exchanges))
		}
		return exchanges[0].Gateway
	}
	c.Get(t.Context(), through("/", a.URL), limit, "")
	now.advance(time.Second)
	if first() != b.URL {
		t.Error("a gateway that failed was asked before one that did not")
	}
	// a failed twice and b once, so b is due first.
	if first() != b.URL {
		t.Error("a gateway that is due later was asked first")
	}
}

// A gateway that said 429 moves back, and gets no request when it is its turn all the same.
func TestLimitedGatewayMovesBack(t *testing.T) {
	t.Parallel()
	limited := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	other := serve(t, answer(http.StatusNotFound, ""))
	c := newClient(t, private())
	candidates := through("/", limited.URL, other.URL)
	if got := statuses(c.Get(t.Context(), candidates, limit, "")); got != "[429 404]" {
		t.Fatalf("got %s", got)
	}
	exchanges := c.Get(t.Context(), candidates, limit, "")
	if got := statuses(exchanges); got != "[429 404]" || exchanges[0].StartedAt.Before(exchanges[1].StartedAt) {
		t.Errorf("got %s, with the limited gateway first", got)
	}
	if n := limited.requests.Load(); n != 1 {
		t.Errorf("the limited gateway saw %d requests, want 1", n)
	}
}

// A deadline of the caller is not the gateway's fault.
func TestDeadlineDoesNotMoveAGatewayBack(t *testing.T) {
	t.Parallel()
	var quick atomic.Bool
	first := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if !quick.Load() {
			untilLeft(r)
		}
	})
	second := serve(t, answer(http.StatusOK, "{}"))
	c := newClient(t, private())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got := statuses(c.Get(ctx, through("/", first.URL, second.URL), limit, "")); got != "[timeout]" {
		t.Fatalf("got %s", got)
	}
	quick.Store(true)
	exchanges := c.Get(t.Context(), through("/", first.URL, second.URL), limit, "")
	if exchanges[0].Gateway != first.URL {
		t.Errorf("%s was asked first", exchanges[0].Gateway)
	}
}

// Credentials in the base URL of a gateway are used, and not shown.
func TestGatewayWithCredentials(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, "{}"))
	base := "http://user:word@" + s.hostPort()
	config := private()
	config.GatewayHeader = map[string]http.Header{base: {"X-Key": {"k"}}}
	exchanges := newClient(t, config).Get(t.Context(), []web.Candidate{{URL: base + "/1", Gateway: base}}, limit, "")
	wantBody(t, exchanges[0], "{}")
	if exchanges[0].Gateway != s.URL || exchanges[0].URL != s.URL+"/1" {
		t.Errorf("got %s through %s", exchanges[0].URL, exchanges[0].Gateway)
	}
}
