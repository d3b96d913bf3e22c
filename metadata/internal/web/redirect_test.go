package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"strata/domain/fetch"
	"strata/metadata/internal/web"
)

// countdown redirects from /n to /n-1, and answers at /0.
func countdown(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if n == 0 {
		_, _ = w.Write([]byte("there"))
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
}

// M13: as many redirects as allowed are followed. The target of one more gets no request.
func TestRedirects(t *testing.T) {
	t.Parallel()
	s := serve(t, countdown)
	c := newClient(t, web.Config{AllowPrivate: true, MaxRedirects: 2})

	e := getOne(t, c, s.URL+"/2")
	wantBody(t, e, "there")
	if e.URL != s.URL+"/2" || e.Header[web.HeaderFinalURL] != s.URL+"/0" || e.Error != "" {
		t.Errorf("got %s ending at %s (%s)", e.URL, e.Header[web.HeaderFinalURL], e.Error)
	}
	if n := s.requests.Swap(0); n != 3 {
		t.Errorf("the server saw %d requests, want 3", n)
	}

	e = getOne(t, c, s.URL+"/3")
	wantFailure(t, e, fetch.FailureRedirects, "status 302 to "+s.URL+"/0 is not followed")
	if e.Status != http.StatusFound || e.Header["location"] != "/0" || e.Header[web.HeaderFinalURL] != s.URL+"/1" {
		t.Errorf("got status %d, header %v", e.Status, e.Header)
	}
	if n := s.requests.Load(); n != 3 {
		t.Errorf("the server saw %d requests, want 3, and none for the last target", n)
	}
}

func TestRedirectsByDefaultAndNone(t *testing.T) {
	t.Parallel()
	s := serve(t, countdown)
	c := newClient(t, allowAll())
	wantBody(t, getOne(t, c, s.URL+"/5"), "there")
	wantFailure(t, getOne(t, c, s.URL+"/6"), fetch.FailureRedirects, "5 redirects")
	wantFailure(t, getOne(t, newClient(t, web.Config{AllowPrivate: true, MaxRedirects: -1}), s.URL+"/1"), fetch.FailureRedirects, "0 redirects")
}

// A status 3xx without a target is an answer.
func TestRedirectWithoutTarget(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusFound, http.StatusMultipleChoices, http.StatusNotModified} {
		e := getOne(t, newClient(t, allowAll()), serve(t, answer(status, "")).URL)
		if e.Status != status || e.Failure != "" || e.Header[web.HeaderFinalURL] != "" {
			t.Errorf("%d: got status %d, failure %q, header %v", status, e.Status, e.Failure, e.Header)
		}
	}
}

// An exchange has no credentials, wherever they came from.
func TestRedirectWithCredentials(t *testing.T) {
	t.Parallel()
	end := serve(t, answer(http.StatusInternalServerError, ""))
	start := serve(t, redirect("http://user:word@"+end.hostPort()+"/end"))
	e := getOne(t, newClient(t, allowAll()), strings.Replace(start.URL, "://", "://name:pass@", 1))
	if strings.Contains(fmt.Sprintf("%+v", e), "word") || strings.Contains(fmt.Sprintf("%+v", e), "pass") {
		t.Errorf("the exchange shows credentials: %+v", e)
	}
	if e.Header[web.HeaderFinalURL] != end.URL+"/end" {
		t.Errorf("ended at %s, want %s/end", e.Header[web.HeaderFinalURL], end.URL)
	}
	e = getOne(t, newClient(t, web.Config{AllowPrivate: true, MaxRedirects: -1}), start.URL)
	wantFailure(t, e, fetch.FailureRedirects, end.URL)
	if strings.Contains(fmt.Sprintf("%+v", e), "word") || e.Header["location"] != end.URL+"/end" {
		t.Errorf("the exchange shows credentials: %+v", e)
	}
}

// keyRecorder records the values of X-Key that a server receives.
type keyRecorder struct {
	mu   sync.Mutex
	keys []string
}

func (k *keyRecorder) record(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		k.keys = append(k.keys, r.URL.Path+"="+r.Header.Get("X-Key"))
		k.mu.Unlock()
		next(w, r)
	}
}

// want fails the test unless the server has received these keys since the last call.
func (k *keyRecorder) want(t *testing.T, keys ...string) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if fmt.Sprint(k.keys) != fmt.Sprint(keys) {
		t.Errorf("got keys %v, want %v", k.keys, keys)
	}
	k.keys = nil
}

// M8, M14: a gateway's secret goes to its origin only, and is not sent again after a detour over another origin.
func TestSecretStaysAtItsOrigin(t *testing.T) {
	t.Parallel()
	var atGateway, elsewhere keyRecorder
	var gateway, other *server
	other = serve(t, elsewhere.record(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, gateway.URL+"/ipfs/found", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("{}"))
	}))
	gateway = serve(t, atGateway.record(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ipfs/same":
			http.Redirect(w, r, "/ipfs/found", http.StatusFound)
		case "/ipfs/away":
			http.Redirect(w, r, other.URL+"/found", http.StatusFound)
		case "/ipfs/detour":
			http.Redirect(w, r, other.URL+"/back", http.StatusFound)
		case "/ipfs/name": // the same server under another name is another origin
			http.Redirect(w, r, "http://gateway.example:"+gateway.port()+"/ipfs/found", http.StatusFound)
		default:
			_, _ = w.Write([]byte("{}"))
		}
	}))
	config := allowAll()
	config.Resolver = resolving("gateway.example", ips("127.0.0.1"))
	config.GatewayHeader = map[string]http.Header{gateway.URL + "/": {"x-key": {"s3cret"}}}
	c := newClient(t, config)

	ask := func(candidates []web.Candidate) {
		t.Helper()
		exchanges := c.Get(t.Context(), candidates, limit, "", anything)
		wantBody(t, exchanges[0], "{}")
		if strings.Contains(fmt.Sprintf("%+v", exchanges), "s3cret") {
			t.Errorf("the exchange reveals the secret: %+v", exchanges)
		}
	}
	ask(viaGateways("/ipfs/found", gateway.URL))
	atGateway.want(t, "/ipfs/found=s3cret")
	ask(viaGateways("/ipfs/same", gateway.URL))
	atGateway.want(t, "/ipfs/same=s3cret", "/ipfs/found=s3cret")
	ask(viaGateways("/ipfs/away", gateway.URL))
	atGateway.want(t, "/ipfs/away=s3cret")
	elsewhere.want(t, "/found=")
	ask(viaGateways("/ipfs/detour", gateway.URL))
	atGateway.want(t, "/ipfs/detour=s3cret", "/ipfs/found=")
	elsewhere.want(t, "/back=")
	ask(viaGateways("/ipfs/name", gateway.URL))
	atGateway.want(t, "/ipfs/name=s3cret", "/ipfs/found=")
	ask(direct(gateway.URL + "/ipfs/found")) // the candidate does not name the gateway
	atGateway.want(t, "/ipfs/found=")
	ask([]web.Candidate{{URL: other.URL + "/found", Gateway: gateway.URL}}) // the URL does not belong to the gateway
	elsewhere.want(t, "/found=")
	ask(viaGateways("/found", other.URL))
	elsewhere.want(t, "/found=")
}
