package transparency_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore/transparency"
)

func TestOpenKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "log.key")
	var all sync.WaitGroup
	keys := make([]string, 8)
	for i := range keys {
		all.Go(func() {
			key, err := transparency.OpenKey(file, origin)
			if err != nil {
				t.Error(err)
				return
			}
			keys[i] = key.VerifierKey()
		})
	}
	all.Wait()
	for _, key := range keys {
		if key != keys[0] || !strings.HasPrefix(key, origin+"+") {
			t.Errorf("got the keys %q, want one, of %s", keys, origin)
		}
	}
	if _, err := sumdb.NewVerifier(keys[0]); err != nil {
		t.Errorf("verifier key %q: %v", keys[0], err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v), want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("got %v (%v), want the key alone", left, err)
	}
	if key, err := transparency.OpenKey(file, ""); err != nil || key.Origin() != origin {
		t.Errorf("without an origin: got %v, want the key's own", err)
	}
	if _, err := transparency.OpenKey(file, "example.org/other"); err == nil || !strings.Contains(err.Error(), "example.org/other") {
		t.Errorf("another origin: got %v, want an error that names it", err)
	}
	for _, wrong := range []string{"", "a b", "a+b", "a\nb"} {
		if _, err := transparency.OpenKey(filepath.Join(t.TempDir(), "log.key"), wrong); err == nil {
			t.Errorf("origin %q was taken", wrong)
		}
	}
	for _, wrong := range []string{"", "PRIVATE+KEY+", "PRIVATE+KEY+a+00000000+AAAA", keys[0]} {
		if _, err := transparency.ParseKey(wrong); err == nil {
			t.Errorf("key %q was taken", wrong)
		}
	}
}

// A key that was made because there was none does not begin to sign a log that another one has signed. One that the
// operator chose does.
func TestOtherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grow("x", 10)
	w.sign(w.open(transparency.Config{Key: newKey(t)}), true)
	w.grow("x", 20)
	key := newKey(t)
	if signed, err := w.open(transparency.Config{Key: key}).Sign(t.Context()); signed || !errors.Is(err, transparency.ErrOtherKey) {
		t.Errorf("got %v (%v), want ErrOtherKey", signed, err)
	}
	chosen := w.open(transparency.Config{Key: key, TakeOver: true})
	w.sign(chosen, true)
	if got, err := chosen.VerifierKey(t.Context()); err != nil || got != key.VerifierKey() {
		t.Errorf("got the key %q (%v), want %q", got, err, key.VerifierKey())
	}
	if all := w.checkpoints(chosen); len(all) != 2 {
		t.Errorf("got %d checkpoints, want 2", len(all))
	}
}
