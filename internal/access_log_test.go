package internal_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/internal/accesslog"
	"strata/internal/requestid"
	"strata/internal/testkit/must"
)

// A share of the requests is logged, with an id that the handler finds in its context.
func TestShareOfAccesses(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := must.Get(accesslog.New(0.25, slog.New(slog.NewTextHandler(&out, nil)), prometheus.NewRegistry()))(t)
	var ids []string
	handler := l.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := requestid.Of(r.Context()); id != "" {
			ids = append(ids, id)
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "four")
	}))
	for range 100 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/x?y=1", nil))
	}
	if n := strings.Count(out.String(), "msg=access"); n != 25 || len(ids) != n {
		t.Errorf("%d of 100 requests are logged, and %d have an id, want 25", n, len(ids))
	}
	for _, want := range []string{"id=" + ids[0], "method=GET", `target="/x?y=1"`, "status=404", "bytes=4", "from=192.0.2.1:1234", "complete=true"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log is %.300s, want %s in it", out.String(), want)
		}
	}
}

// A panic is counted, whether its request is logged or not, and the server gets to know it.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 1} {
		var out bytes.Buffer
		registry := prometheus.NewRegistry()
		l := must.Get(accesslog.New(share, slog.New(slog.NewTextHandler(&out, nil)), registry))(t)
		serve := func(value any) (recovered any) {
			defer func() { recovered = recover() }()
			l.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) })).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			return nil
		}
		if got := serve("broken"); got != "broken" {
			t.Errorf("share %v: the server got %v", share, got)
		}
		if got := serve(http.ErrAbortHandler); got != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			t.Errorf("share %v: the server got %v", share, got)
		}
		if n := testutil.ToFloat64(accesslog.Panics(registry)); n != 1 {
			t.Errorf("share %v: %v panics are counted, want 1", share, n)
		}
		if logged := strings.Contains(out.String(), "complete=false"); logged != (share == 1) {
			t.Errorf("share %v: the log is %s", share, out.String())
		}
	}
}

func TestErrorsOfShare(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{-1, 2} {
		if _, err := accesslog.New(share, slog.New(slog.DiscardHandler), nil); err == nil {
			t.Errorf("%v was taken", share)
		}
	}
}
