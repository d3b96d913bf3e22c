package audit

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
	"strata/rig/replay"
)

// With default settings, the signing key belongs to the archive. Its name and its file can be chosen.
func TestKey(t *testing.T) {
	t.Parallel()
	ctx, dir, logger := t.Context(), t.TempDir(), slog.New(slog.DiscardHandler)
	pool := replay.Databases.New(t)
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	must.Get(log.Append(ctx, eventstore.Incoming{ReceivedAt: time.Now(), Source: "test", Path: "/x", Body: eventstore.NewBody([]byte("x"))}))(t)
	var f Flags
	key, file, err := f.openKey(ctx, pool, dir)
	if err != nil || filepath.Dir(file) != dir || !strings.HasPrefix(key.VerifierKey(), "strata/") || !strings.Contains(file, strings.TrimPrefix(key.Origin(), "strata/")) {
		t.Fatalf("got the key %+v in %s (%v), want one of the archive", key, file, err)
	}
	opened := must.Get(f.OpenLog(ctx, log, nil, dir, true, logger))(t)
	if signed, err := opened.Sign(ctx); !signed || err != nil {
		t.Fatalf("sign: got %v (%v)", signed, err)
	}
	if _, err := os.Stat(file + ".checkpoint"); err != nil {
		t.Error(err)
	}
	if got, err := opened.VerifierKey(ctx); err != nil || got != key.VerifierKey() {
		t.Errorf("got %q (%v), want the key %q", got, err, key.VerifierKey())
	}

	f.LogOrigin = "example.org/other"
	if _, err := f.OpenLog(ctx, log, nil, dir, true, logger); err == nil || !strings.Contains(err.Error(), "--log-origin") {
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
	if _, err := f.OpenLog(ctx, log, nil, dir, false, logger); err == nil || !strings.Contains(err.Error(), "--log-witnesses") {
		t.Errorf("a witness's key: got %v", err)
	}
	if _, err := transparency.ReadKey(f.LogKey); err != nil {
		t.Error(err)
	}
}
