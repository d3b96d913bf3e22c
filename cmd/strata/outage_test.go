package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// After an outage of the database, the server goes on without a restart, and no event is lost.
func TestDatabaseOutage(t *testing.T) {
	short.Skip(t, "stops and kills the database")
	t.Parallel()
	database := pgtest.Dedicated(t)
	s := startServer(t, t.TempDir(), "--database-url", database.URL())
	s.mustPost("/attachments/new", []byte(`["before"]`))
	s.caughtUp(1)

	database.Stop(t)
	got := s.post("/attachments/new", []byte(`["meanwhile"]`))
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("the observer: got %d %s, want 503 and a time to come again", got.Status, got.Body)
	}
	// What the last known state says without a query, such as that there are no blocks, is still answered, and what is cached.
	for _, path := range []string{"/audit/v1/events/1", "/audit/v1/quarantine"} {
		eventually.Holds(t, path+" is unavailable", func() bool {
			got := s.get(path)
			return got.Status == http.StatusServiceUnavailable && strings.TrimSpace(string(got.Body)) == `{"error":"The database service is unavailable"}`
		})
	}
	if got := s.get("/readyz"); got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), `"status":"not ready"`) {
		t.Errorf("/readyz: got %d %s, want 503", got.Status, got.Body)
	}
	for _, path := range []string{"/healthz", "/docs", "/openapi.json"} {
		if got := s.get(path); got.Status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", path, got.Status, got.Body)
		}
	}

	database.Start(t)
	began := time.Now()
	eventually.Holds(t, "the observer takes events again", func() bool {
		return s.post("/attachments/new", []byte(`["after"]`)).Status == http.StatusOK
	})
	eventually.Holds(t, "/readyz says so", func() bool { return strings.Contains(string(s.get("/readyz").Body), `"database":{"ok":true}`) })
	ready := time.Since(began)
	s.caughtUp(2)

	if !s.Running() {
		t.Error("the server ended")
	}
	if !t.Failed() {
		t.Logf("fault: the database stopped; ready %s after its start", ready.Round(time.Millisecond))
	}
}
