package main

import (
	"os"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
)

// log-key prints the key that signs the log, and needs no key file where there is a checkpoint.
func TestLogKey(t *testing.T) {
	t.Parallel()
	url := served.URL(t)
	s := startServer(t, t.TempDir(), "--database-url", url)
	s.mustPost("/attachments/new", []byte("[]"))
	eventually.Holds(t, "the log is signed", func() bool {
		return strings.Contains(string(s.get("/audit/v1/log/checkpoint").Body), "\n1\n")
	})
	elsewhere := t.TempDir()
	printed := mustRun(t, elsewhere, "log-key", "--database-url", url, "--data-dir", elsewhere)
	if want := strings.TrimSpace(string(s.get("/audit/v1/log/key").Body)); strings.TrimSpace(printed) != want || !strings.HasPrefix(want, "strata/") {
		t.Errorf("got %q, want the key %q", printed, want)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v), although there was a checkpoint", left, err)
	}
}
