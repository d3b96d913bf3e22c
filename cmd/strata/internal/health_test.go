package internal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"strata/cmd/strata/internal/health"
)

func TestHealth(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ok"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	c := health.Command{URL: server.URL, Timeout: time.Minute}
	if err := c.Run(t.Context(), nil); err != nil {
		t.Errorf("a server that is ready: %v", err)
	}
	status, body = http.StatusServiceUnavailable, `{"status":"projection chain lags"}`
	if err := c.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "chain lags") {
		t.Errorf("a server that is not ready: got %v, want its status and its reason", err)
	}
	server.Close()
	if err := c.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "is the server running") {
		t.Errorf("no server: got %v, want what to look at", err)
	}
}
