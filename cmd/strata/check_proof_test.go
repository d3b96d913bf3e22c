package main

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
)

// The proofs of the events behind an answer are checked when the server is gone, with the public key alone.
func TestCheckProof(t *testing.T) {
	short.Skip(t, "starts several servers")
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	mustRun(t, dir, "simulate", "--observer", s.observer, "--count", "20", "--seed", "3", "--calm")
	s.caughtUp(20)
	eventually.Holds(t, "the log is signed", func() bool {
		return strings.Contains(string(s.get("/audit/v1/log/checkpoint").Body), "\n20\n")
	})
	key := strings.TrimSpace(string(s.get("/audit/v1/log/key").Body))
	mustRun(t, dir, "trace", "--api", s.api, "/extended/v2/blocks?limit=3", "--proof", "out.tlog-proof")
	s.stop()

	files, err := filepath.Glob(filepath.Join(dir, "out*.tlog-proof"))
	if err != nil || len(files) < 3 {
		t.Fatalf("got the files %v (%v), want one for each event", files, err)
	}
	said := mustRun(t, dir, append([]string{"check-proof", "--key", key}, files...)...)
	if strings.Count(said, "is among the first 20 events of the log: /new_block, received ") < 3 || strings.Count(said, "\n") != len(files) {
		t.Errorf("got %s", said)
	}
	_, other, err := note.GenerateKey(rand.Reader, "strata/another")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "check-proof", "--key", other, files[0]).fails(t, exitDifferences, "proves nothing")
	writeFile(t, filepath.Join(dir, "body"), "another body")
	run(t, dir, "check-proof", "--key", key, files[0], "--body", "body").fails(t, exitDifferences, "is not the body of event ")
}
