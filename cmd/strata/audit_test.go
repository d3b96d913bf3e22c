package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/replay"
	"strata/readapi"
)

var _ readapi.TransparencyLog = shownLog{}

// With default settings, the signing key belongs to the archive, stays the same, and is printed by log-key.
func TestLogKey(t *testing.T) {
	t.Parallel()
	ctx, dir, logger := t.Context(), t.TempDir(), slog.New(slog.DiscardHandler)
	pool := replay.Databases.New(t)
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	for range 3 {
		if _, err := log.Append(ctx, eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/x", Body: eventstore.NewBody([]byte("x"))}); err != nil {
			t.Fatal(err)
		}
	}
	var f auditFlags
	key, file, err := f.openKey(ctx, pool, dir)
	if err != nil || filepath.Dir(file) != dir || !strings.HasPrefix(key.VerifierKey(), "strata/") || !strings.Contains(file, strings.TrimPrefix(key.Origin(), "strata/")) {
		t.Fatalf("got the key %+v in %s (%v), want one of the archive", key, file, err)
	}
	opened, err := f.openLog(ctx, pool, nil, dir, true, logger)
	if err != nil {
		t.Fatal(err)
	}
	if signed, err := opened.Sign(ctx); !signed || err != nil {
		t.Fatalf("sign: got %v (%v)", signed, err)
	}
	if _, err := os.Stat(file + ".checkpoint"); err != nil {
		t.Error(err)
	}
	proof, err := shownLog{opened}.ProveInclusion(ctx, 2, 0)
	if err != nil || proof.Index != 1 || proof.Size != 3 {
		t.Errorf("got %+v (%v), want index 1 of 3", proof, err)
	}
	if proof, err := (shownLog{opened}).ProveConsistency(ctx, 2, 0); err != nil || proof.To != 3 {
		t.Errorf("got %+v (%v), want to 3", proof, err)
	}
	if _, err := (shownLog{opened}).ProveInclusion(ctx, 4, 0); err == nil {
		t.Error("event 4 of 3 was proven")
	}

	elsewhere := t.TempDir()
	command := logKeyCommand{databaseFlags: databaseFlags{DatabaseURL: replay.Databases.URL(t), DataDir: elsewhere}}
	if printed, err := command.verifierKey(ctx, logger); err != nil || printed != key.VerifierKey() {
		t.Errorf("got %q (%v), want the key %q", printed, err, key.VerifierKey())
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v), although there was a checkpoint", left, err)
	}

	f.LogOrigin = "example.org/other"
	if _, err := f.openLog(ctx, pool, nil, dir, true, logger); err == nil || !strings.Contains(err.Error(), "--log-origin") {
		t.Errorf("another origin than the key's: got %v", err)
	}
	f.LogKey = filepath.Join(dir, "chosen")
	if chosen, _, err := f.openKey(ctx, pool, dir); err != nil || chosen.Origin() != "example.org/other" {
		t.Errorf("a key of its own: got %+v (%v)", chosen, err)
	}
	f.LogOrigin = "" // the key has it
	if chosen, _, err := f.openKey(ctx, pool, dir); err != nil || chosen.Origin() != "example.org/other" {
		t.Errorf("without the origin: got %+v (%v)", chosen, err)
	}
	f.LogWitnesses = []string{"nonsense"}
	if _, err := f.openLog(ctx, pool, nil, dir, false, logger); err == nil || !strings.Contains(err.Error(), "--log-witnesses") {
		t.Errorf("a witness's key: got %v", err)
	}
	if _, err := transparency.ReadKey(f.LogKey); err != nil {
		t.Error(err)
	}
}
