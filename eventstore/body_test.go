package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
)

func TestSpool(t *testing.T) {
	dir := t.TempDir()
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: dir, Threshold: 10, Limit: 100})
	for name, c := range map[string]struct {
		content  string
		size     int64
		inMemory bool
		err      error
	}{
		"empty":                  {"", 0, true, nil},
		"small":                  {"0123456789", 10, true, nil},
		"large":                  {strings.Repeat("x", 11), 11, false, nil},
		"of unknown size":        {"abc", -1, false, nil},
		"at the limit":           {strings.Repeat("x", 100), -1, false, nil},
		"above the limit":        {strings.Repeat("x", 101), -1, false, eventstore.ErrBodyTooLarge},
		"announced too large":    {"", 101, false, eventstore.ErrBodyTooLarge},
		"small and cut short":    {"012", 5, false, io.ErrUnexpectedEOF},
		"large and cut short":    {"012", 50, false, io.ErrUnexpectedEOF},
		"nothing of what was to": {"", 5, false, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := spool.Read(context.Background(), strings.NewReader(c.content), c.size)
			if !errors.Is(err, c.err) {
				t.Fatalf("got error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			defer body.Close()
			for range 2 {
				got, err := io.ReadAll(body.Reader())
				if err != nil || string(got) != c.content {
					t.Errorf("got %q, %v, want %q", got, err, c.content)
				}
			}
			want := eventstore.NewBody([]byte(c.content))
			if body.Size() != want.Size() || body.SHA256() != want.SHA256() {
				t.Errorf("got size %d SHA-256 %x, want %d and %x", body.Size(), body.SHA256(), want.Size(), want.SHA256())
			}
			if _, inMemory := body.Bytes(); inMemory != c.inMemory {
				t.Errorf("in memory: got %t, want %t", inMemory, c.inMemory)
			}
			body.Close() // again
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

func TestSpoolWaitsForMemory(t *testing.T) {
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Memory: 10})
	first, err := spool.Read(context.Background(), bytes.NewReader(make([]byte, 8)), 8)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := spool.Read(ctx, bytes.NewReader(make([]byte, 8)), 8); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want it to wait until its deadline", err)
	}
	first.Close()
	second, err := spool.Read(context.Background(), bytes.NewReader(make([]byte, 8)), 8)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}
