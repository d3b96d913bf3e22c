package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
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

// Unless a gateway succeeds, the next one is tried.
func TestGatewayFailover(t *testing.T) {
	t.Parallel()
	good := serve(t, answer(http.StatusOK, "{}"))
	for _, status := range []int{400, 403, 404, 410, 429, 500, 504} {
		bad := serve(t, answer(status, ""))
		exchanges := newClient(t, allowAll()).Get(t.Context(), viaGateways("/ipfs/cid", bad.URL, good.URL), limit, "", anything)
		if got, want := statuses(exchanges), fmt.Sprintf("[%d 200]", status); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if last := exchanges[len(exchanges)-1]; last.Gateway != good.URL || last.URL != good.URL+"/ipfs/cid" {
			t.Errorf("got %s through %s", last.URL, last.Gateway)
		}
	}
	config := allowAll()
	config.Timeouts.Header = 200 * time.Millisecond
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { untilClientLeaves(r) })
	exchanges := newClient(t, config).Get(t.Context(), viaGateways("/ipfs/cid", slow.URL, good.URL), limit, "", anything)
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
		exchanges := newClient(t, allowAll()).Get(t.Context(), direct(s.URL, next.URL), limit, "", anything)
		if got, want := statuses(exchanges), fmt.Sprintf("[%d]", status); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	large := serve(t, answer(http.StatusOK, "much too large"))
	exchanges := newClient(t, allowAll()).Get(t.Context(), viaGateways("/ipfs/cid", large.URL, next.URL), 5, "", anything)
	if got := statuses(exchanges); got != "[too_large]" {
		t.Errorf("got %s; a resource that is too large at one gateway is too large at all", got)
	}
	if next.requests.Load() != 0 {
		t.Error("the next candidate got a request")
	}
}

// When all candidates fail, the most informative failure is last, and the others are in the order in which they were
// made.
func TestMostInformativeFailureIsLast(t *testing.T) {
	t.Parallel()
	at := func(status int) string { return serve(t, answer(status, "")).URL }
	gone := serve(t, answer(http.StatusOK, ""))
	gone.Close()
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { untilClientLeaves(r) })
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
		config := allowAll()
		config.Timeouts.Header = 200 * time.Millisecond
		exchanges := newClient(t, config).Get(t.Context(), viaGateways("/", c.gateways...), limit, "", anything)
		if got := statuses(exchanges); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if exchanges := newClient(t, allowAll()).Get(t.Context(), nil, limit, "", anything); len(exchanges) != 0 {
		t.Errorf("got %v without candidates", exchanges)
	}
}

// A gateway is not demoted because of the caller's deadline.
func TestDeadlineDoesNotDemoteAGateway(t *testing.T) {
	t.Parallel()
	var quick atomic.Bool
	first := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if !quick.Load() {
			untilClientLeaves(r)
		}
	})
	second := serve(t, answer(http.StatusOK, "{}"))
	c := newClient(t, allowAll())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got := statuses(c.Get(ctx, viaGateways("/", first.URL, second.URL), limit, "", anything)); got != "[timeout]" {
		t.Fatalf("got %s", got)
	}
	quick.Store(true)
	exchanges := c.Get(t.Context(), viaGateways("/", first.URL, second.URL), limit, "", anything)
	if exchanges[0].Gateway != first.URL {
		t.Errorf("%s was tried first", exchanges[0].Gateway)
	}
}

// Credentials in the base URL of a gateway are used, but not part of the exchange.
func TestGatewayWithCredentials(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, "{}"))
	base := "http://user:word@" + s.hostPort()
	config := allowAll()
	config.GatewayHeader = map[string]http.Header{base: {"X-Key": {"k"}}}
	exchanges := newClient(t, config).Get(t.Context(), []web.Candidate{{URL: base + "/1", Gateway: base}}, limit, "", anything)
	wantBody(t, exchanges[0], "{}")
	if exchanges[0].Gateway != s.URL || exchanges[0].URL != s.URL+"/1" {
		t.Errorf("got %s through %s", exchanges[0].URL, exchanges[0].Gateway)
	}
}

// A page of a gateway with status 200 says nothing about the resource: the next one is asked, and the gateway is demoted once
// another has the resource. Only if all answer so is that the result.
func TestPagesOfGateways(t *testing.T) {
	t.Parallel()
	const good = `{"name":"x"}`
	check := func(e *fetch.Exchange) bool {
		switch string(e.Body) {
		case good:
			return true
		case "film":
			e.Failure = fetch.FailureFormat
			return true
		}
		e.Error = "a page"
		return false
	}
	at := func(status int, body string) string { return serve(t, answer(status, body)).URL }
	page := "<!DOCTYPE html>"
	large := page + strings.Repeat(" ", 16<<10)
	for _, c := range []struct {
		gateways []string
		want     string
		body     string // of the last exchange
	}{
		{[]string{at(200, page), at(200, good), at(500, "")}, "[200 200]", good},
		{[]string{at(200, large), at(404, "no"), at(200, good)}, "[200 404 200]", good},
		{[]string{at(200, page), at(200, large)}, "[200 200]", large},
		{[]string{at(200, page), at(200, "film"), at(200, good)}, "[200 unsupported_image]", "film"},
		{[]string{at(500, "down"), at(200, page)}, "[200 500]", "down"},
		{[]string{at(200, page), at(429, "later")}, "[200 429]", "later"},
		{[]string{at(404, "no"), at(200, page)}, "[200 404]", "no"},
		{[]string{at(200, page), "ftp://gateway.example"}, "[bad_uri 200]", page},
	} {
		exchanges := newClient(t, allowAll()).Get(t.Context(), viaGateways("/", c.gateways...), limit, "", check)
		last := exchanges[len(exchanges)-1]
		if got := statuses(exchanges); got != c.want || string(last.Body) != c.body || (last.Error == "a page") != strings.HasPrefix(c.body, page) {
			t.Errorf("got %s with %.40q (%s), want %s with %.40q", got, last.Body, last.Error, c.want, c.body)
		}
		for _, e := range exchanges[:len(exchanges)-1] {
			if e.Status == 200 && (len(e.Body) > len(page) || !strings.Contains(e.Error, "a page")) {
				t.Errorf("%s: an exchange that does not count has a body of %d bytes and the error %q", c.want, len(e.Body), e.Error)
			}
		}
	}

	misleading, honest := at(200, page), at(200, good)
	c := newClient(t, allowAll())
	for _, want := range []string{"[200 200]", "[200]"} {
		if got := statuses(c.Get(t.Context(), viaGateways("/", misleading, honest), limit, "", check)); got != want {
			t.Errorf("got %s, want %s: a gateway that had a page of its own comes last", got, want)
		}
	}
	folder := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := page
		if r.URL.Path == "/#1" {
			body = good
		}
		_, _ = w.Write([]byte(body))
	}).URL
	c = newClient(t, allowAll())
	for range 2 {
		candidates := append(viaGateways("/", folder), append(viaGateways("/%231", folder), viaGateways("/%231", honest)...)...)
		if e := c.Get(t.Context(), candidates, limit, "", check); len(e) != 2 || e[1].URL != folder+"/%231" {
			t.Errorf("got %s; a gateway was demoted for a page at another path", statuses(e))
		}
	}
	film := at(200, "film")
	c = newClient(t, allowAll())
	for range 2 {
		if e := c.Get(t.Context(), viaGateways("/", film, honest), limit, "", check); len(e) != 1 || e[0].Gateway != film {
			t.Errorf("got %s; a gateway was demoted for the format of the resource", statuses(e))
		}
	}
	c = newClient(t, allowAll())
	first := func() string {
		return c.Get(t.Context(), viaGateways("/", misleading, at(200, page)), limit, "", check)[0].Gateway
	}
	if first(); first() != misleading {
		t.Error("a gateway was demoted for what all have answered")
	}
}
