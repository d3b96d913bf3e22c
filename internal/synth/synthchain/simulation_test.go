package synthchain

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"strata/internal/synth/simulate"
	"strata/internal/testkit/must"
)

func TestSimulationPostsTheChain(t *testing.T) {
	cfg := Config{Seed: 5, ForkProbability: 0.2, DuplicateProbability: 0.1}
	var mu sync.Mutex
	var got []Post
	refused := 0
	remotes := map[string]bool{}
	observer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.UserAgent() != "stacks/3.0" || r.Header.Get("Content-Type") != "application/json" || r.Method != "POST" || !r.Close {
			t.Errorf("request is %s with %v", r.Method, r.Header)
		}
		if remotes[r.RemoteAddr] {
			t.Errorf("connection %s is used twice", r.RemoteAddr)
		}
		remotes[r.RemoteAddr] = true
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(got) == 10 && refused < 2 {
			refused++
			w.WriteHeader(http.StatusCreated)
			return
		}
		got = append(got, Post{Path: r.URL.Path, Body: body})
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"result":"ok"}`))
	}))
	defer observer.Close()
	var last Progress
	must.Do(t, Simulation{Observer: observer.URL, Chain: cfg, Count: 60, Progress: func(p Progress) { last = p }}.Run(t.Context()))
	chain := New(cfg)
	for i, p := range got {
		want := chain.Next()
		if p.Path != want.Path || !bytes.Equal(p.Body, want.Body) {
			t.Fatalf("post %d is to %s, want %s, or its body differs", i, p.Path, want.Path)
		}
	}
	if len(got) != 60 || last.Posts != 60 || last.Retries != 2 || last.Failure != nil {
		t.Errorf("got %d posts and the progress %+v; want 60 posts and 2 retries", len(got), last)
	}
}

func TestSimulationStaysOnThisMachine(t *testing.T) {
	for _, tc := range []struct {
		name, address string
		want          error
	}{
		{"another machine", "http://192.0.2.7:3700", simulate.ErrRemote},
		{"not http", "https://127.0.0.1:3700", nil},
		{"no host", "http://", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Simulation{Observer: tc.address, Count: 1}.Run(t.Context())
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
		})
	}
}
