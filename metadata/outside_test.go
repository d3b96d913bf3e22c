package metadata_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/metadata"
	"strata/metadata/picture"
)

// receivedRequest is a request that a fake node received.
type receivedRequest struct {
	method, uri, body, authorization string
}

// fakeNode is a Stacks node with a handler from the test.
type fakeNode struct {
	*httptest.Server
	mu  sync.Mutex
	got []receivedRequest
}

// newNode starts a node. If handler is nil, it answers each call with (ok true).
func newNode(t testing.TB, handler http.HandlerFunc) *fakeNode {
	t.Helper()
	n := &fakeNode{}
	if handler == nil {
		handler = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
		}
	}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request := receivedRequest{r.Method, r.RequestURI, string(body), r.Header.Get("Authorization")}
		n.mu.Lock()
		n.got = append(n.got, request)
		n.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

// answerAfter answers when the gate is closed. It also returns when the client leaves, because otherwise the server
// could not be closed.
func answerAfter(gate <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
			_, _ = io.WriteString(w, `{}`)
		case <-r.Context().Done():
		}
	}
}

func (n *fakeNode) requests() []receivedRequest {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]receivedRequest{}, n.got...)
}

// web is a metadata.Web that answers with its exchanges by URL.
type web map[string]fetch.Exchange

func (w web) Get(_ context.Context, candidates []metadata.Candidate, limit int64, accept string, check metadata.Check) []fetch.Exchange {
	var all []fetch.Exchange
	for _, c := range candidates {
		e, ok := w[c.URL]
		if !ok {
			e = fetch.Exchange{Failure: fetch.FailureConnection, Error: "no such host"}
		}
		e.Method, e.URL, e.Gateway, e.StartedAt = http.MethodGet, c.URL, c.Gateway, time.Now().UTC()
		e.Header = map[string]string{"content-type": "asked for " + accept}
		if int64(len(e.Body)) > limit {
			e.Body, e.Failure = nil, fetch.FailureTooLarge
		}
		passed := e.Failure == "" && e.Status == http.StatusOK && check(&e)
		all = append(all, e)
		if passed {
			break
		}
	}
	return all
}

// imageStore accepts images that begin with PNG, panics for those with BOMB, is unavailable once for those with FULL, and
// has no decoder for those with FILM.
type imageStore struct {
	mu   sync.Mutex
	full bool
}

func (a *imageStore) Keep(_ context.Context, body []byte) (fetch.ImageFacts, error) {
	switch text := string(body); {
	case strings.HasPrefix(text, "BOMB"):
		panic("index out of range")
	case strings.HasPrefix(text, "FULL"):
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.full {
			a.full = true
			return fetch.ImageFacts{}, errors.Join(metadata.ErrUnavailable, errors.New("disk full"))
		}
	case strings.HasPrefix(text, "FILM"):
		return fetch.ImageFacts{}, fmt.Errorf("%w: MP4", picture.ErrUnsupported)
	case !strings.HasPrefix(text, "PNG"):
		return fetch.ImageFacts{}, errors.New("unknown format")
	}
	return fetch.ImageFacts{SHA256: "00ff", ContentType: "image/png", Width: 3, Height: 4}, nil
}

// resolve knows two gateways for ipfs: URIs, and accepts https: URIs.
func resolve(uri string) ([]metadata.Candidate, error) {
	if rest, ok := strings.CutPrefix(uri, "ipfs://"); ok {
		return []metadata.Candidate{
			{URL: "https://one.test/ipfs/" + rest, Gateway: "https://one.test"},
			{URL: "https://two.test/ipfs/" + rest, Gateway: "https://two.test"},
		}, nil
	}
	if strings.HasPrefix(uri, "https://") {
		return []metadata.Candidate{{URL: uri}}, nil
	}
	return nil, errors.New("unknown scheme")
}

// data decodes data:TYPE,BODY.
func data(uri string) (string, []byte, error) {
	kind, body, ok := strings.Cut(uri[len("data:"):], ",")
	if !ok {
		return "", nil, errors.New("no comma")
	}
	return kind, []byte(body), nil
}

// config returns a configuration with the fakes of this file, and timeouts that a busy machine does not reach.
func config(log *eventstore.Log, nodes ...string) metadata.Config {
	return metadata.Config{
		Log: log, Nodes: nodes, Web: web{}, Resolve: resolve, Data: data, Images: &imageStore{},
		Concurrency: 8, Interval: 50 * time.Millisecond, NodeTimeout: 10 * time.Second,
		AttemptTimeout: 20 * time.Second, RecordTimeout: 20 * time.Second, Grace: 3 * time.Second,
	}
}

// role is a running Metadata.
type role struct {
	*metadata.Metadata
	log  *eventstore.Log
	stop func() // fails the test if Run returns an error
}

// run runs the role until the test ends or stop is called.
func run(t testing.TB, c metadata.Config) *role {
	t.Helper()
	m := must.Get(metadata.New(c))(t)
	m.InitSignals()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := eventually.Receive(t, "the role stops", done); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(stop)
	return &role{m, c.Log, stop}
}

// awaitPass waits for a complete pass of the dispatcher that begins after the call.
func (r *role) awaitPass(t testing.TB) {
	t.Helper()
	r.PassSignal().Discard()
	for range 2 { // the first signal may be that of a pass that began before the call
		eventually.Receive(t, "the dispatcher makes a pass", r.PassSignal().C())
	}
}

// awaitReports waits until the log has this many reports, and fails the test if there are more once all
// leases have ended.
func (r *role) awaitReports(t testing.TB, count int) []*fetch.Report {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("there are %d reports", count), func() bool { return len(reports(t, r.log)) >= count })
	r.awaitPass(t)
	eventually.Holds(t, "all leases have ended", func() bool { return openLeases(t, r.log) == 0 })
	all := reports(t, r.log)
	if len(all) != count {
		t.Fatalf("got %d reports, want %d", len(all), count)
	}
	return all
}

// awaitReport waits for the only report.
func (r *role) awaitReport(t testing.TB) *fetch.Report { t.Helper(); return r.awaitReports(t, 1)[0] }
