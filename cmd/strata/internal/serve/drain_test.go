package serve

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
)

func TestDrain(t *testing.T) {
	t.Parallel()
	d := &drain{delay: 300 * time.Millisecond}
	handler := d.handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	status := func(path string) int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code
	}
	if got := status("/readyz"); got != http.StatusOK {
		t.Errorf("before: got %d", got)
	}
	ctx, signal := context.WithCancel(t.Context())
	later, stop := d.after(ctx, slog.New(slog.DiscardHandler))
	defer stop()
	began := time.Now()
	signal()
	eventually.Holds(t, "it is not ready", func() bool { return status("/readyz") == http.StatusServiceUnavailable })
	if got := status("/readyz?for=brc20"); got != http.StatusServiceUnavailable {
		t.Errorf("while it drains: got %d for one family", got)
	}
	if got := status("/extended"); got != http.StatusOK {
		t.Errorf("while it drains: got %d for other requests", got)
	}
	eventually.Receive(t, "it stops", later.Done())
	if took := time.Since(began); took < d.delay {
		t.Errorf("it stopped after %v, want %v", took, d.delay)
	}
	if now, stop := (&drain{}).after(ctx, slog.New(slog.DiscardHandler)); now.Err() == nil {
		t.Error("without a delay it goes on")
		stop()
	}
}
