package metadata_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/metadata"
)

// asked is a request that a fake node got.
type asked struct {
	method, uri, body, authorization string
}

// fakeNode is a Stacks node that answers as it is told to.
type fakeNode struct {
	*httptest.Server
	mu       sync.Mutex
	got      []asked
	under    map[string]int // requests under way by URI and body
	collided bool
}

// newNode starts a node. Without a handler each call is answered with (ok true).
func newNode(t testing.TB, handler http.HandlerFunc) *fakeNode {
	t.Helper()
	n := &fakeNode{under: map[string]int{}}
	if handler == nil {
		handler = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
		}
	}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		one := asked{r.Method, r.RequestURI, string(body), r.Header.Get("Authorization")}
		key := one.uri + one.body
		n.mu.Lock()
		n.got = append(n.got, one)
		n.under[key]++
		n.collided = n.collided || n.under[key] > 1
		n.mu.Unlock()
		handler(w, r)
		n.mu.Lock()
		n.under[key]--
		n.mu.Unlock()
	}))
	t.Cleanup(n.Close)
	return n
}

// through answers once the gate is open. Nobody waits for a client that has gone: the server could not be closed.
func through(gate <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
			_, _ = io.WriteString(w, `{}`)
		case <-r.Context().Done():
		}
	}
}

func (n *fakeNode) requests() []asked {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]asked{}, n.got...)
}

// web answers with what it holds by URL.
type web map[string]fetch.Exchange

func (w web) Get(_ context.Context, candidates []metadata.Candidate, limit int64, accept string) []fetch.Exchange {
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
		all = append(all, e)
		if e.Failure == "" && e.Status == http.StatusOK {
			break
		}
	}
	return all
}

// album keeps what begins with PNG, falls over what begins with BOMB, and has no room for what begins with FULL, once.
type album struct {
	mu   sync.Mutex
	full bool
}

func (a *album) Keep(_ context.Context, body []byte) (fetch.ImageFacts, error) {
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
	case !strings.HasPrefix(text, "PNG"):
		return fetch.ImageFacts{}, errors.New("unknown format")
	}
	return fetch.ImageFacts{SHA256: "00ff", ContentType: "image/png", Width: 3, Height: 4}, nil
}

// resolve knows ipfs by two gateways, and the web.
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

// data reads data:TYPE,BODY.
func data(uri string) (string, []byte, error) {
	kind, body, ok := strings.Cut(uri[len("data:"):], ",")
	if !ok {
		return "", nil, errors.New("no comma")
	}
	return kind, []byte(body), nil
}

// config has the outside above, and little patience.
func config(log *eventstore.Log, nodes ...string) metadata.Config {
	return metadata.Config{
		Log: log, Nodes: nodes, Web: web{}, Resolve: resolve, Data: data, Images: &album{},
		Concurrency: 8, Interval: 50 * time.Millisecond, NodeTimeout: 500 * time.Millisecond,
		AttemptTimeout: 5 * time.Second, RecordTimeout: 5 * time.Second, Grace: time.Second,
	}
}

// run has the role run until the test ends, or stop is called.
func run(t testing.TB, c metadata.Config) (stop func()) {
	t.Helper()
	m, err := metadata.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("run: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("it did not stop within 30 s")
		}
	})
	t.Cleanup(stop)
	return stop
}
