package postgres_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"strata/internal/postgres/filelock"
	"strata/internal/testkit/must"
)

func open(t *testing.T, path string) *filelock.Lock {
	t.Helper()
	l := must.Get(filelock.Open(path))(t)
	t.Cleanup(func() { l.Release() }) //nolint:errcheck // it may have been released
	return l
}

func try(t *testing.T, l *filelock.Lock, want bool) {
	t.Helper()
	if got, err := l.TryExclusive(); err != nil || got != want {
		t.Errorf("TryExclusive: got %t, %v, want %t", got, err, want)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := open(t, path), open(t, path)
	for _, l := range []*filelock.Lock{a, b} {
		must.Do(t, l.Shared(t.Context()))
	}
	try(t, a, false)
	must.Do(t, b.Release())
	try(t, a, true)

	c := open(t, path)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := c.Shared(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shared while another Lock is exclusive: got %v, want the deadline", err)
	}
	waited := make(chan error, 1)
	go func() { waited <- c.Exclusive(t.Context()) }()
	must.Do(t, a.Release())
	if err := <-waited; err != nil {
		t.Errorf("Exclusive after the release: %v", err)
	}
}
