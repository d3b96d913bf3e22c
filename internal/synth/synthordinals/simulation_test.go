package synthordinals

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"strata/domain/ordinals"
	"strata/internal/synth/simulate"
	"strata/internal/testkit/must"
)

func TestSimulationPostsTheFeed(t *testing.T) {
	t.Parallel()
	cfg := Everything(5, ordinals.Regtest)
	var got [][]byte
	refused := 0
	observer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/ordhook/payload" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("request is %s %s with %v", r.Method, r.URL, r.Header)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			t.Errorf("authorization is %q", r.Header.Get("Authorization"))
		case len(got) == 10 && refused == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			refused++
		case len(got) == 10 && refused == 1:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusPermanentRedirect)
			refused++
		default:
			got = append(got, body)
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer observer.Close()
	var last Progress
	must.Do(t, Simulation{
		Observer: observer.URL + "/ordhook", Token: "secret", Feed: cfg, Rate: 5000, Count: 40, Wait: time.Millisecond,
		Progress: func(p Progress) { last = p },
	}.Run(t.Context()))
	f, sum := New(cfg), uint64(0)
	for i, body := range got {
		if !bytes.Equal(body, f.Next().Body) {
			t.Fatalf("post %d differs", i)
		}
		sum += uint64(len(body))
	}
	if len(got) != 40 || last.Posts != 40 || last.Retries != 2 || last.Failure != nil || last.Bytes != sum {
		t.Errorf("got %d posts and the progress %+v; want 40 posts, 2 retries and %d bytes", len(got), last, sum)
	}
}

func TestSimulationStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, address string
		want          error
	}{
		{"another machine", "http://192.0.2.7:3700", simulate.ErrRemote},
		{"another machine, IPv6", "http://[2001:db8::1]:3700", simulate.ErrRemote},
		{"not http", "ftp://127.0.0.1:3700", nil},
		{"no host", "http://", nil},
		{"no address", "http://127.0.0.1:port", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := Simulation{Observer: tc.address, Count: 1, Wait: time.Hour}.Run(t.Context())
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("error is %v, want %v", err, tc.want)
			}
		})
	}
}
