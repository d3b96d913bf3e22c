package eventstore_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"strata/eventstore"
	"strata/internal/testkit/must"
)

func TestSpool(t *testing.T) {
	dir := t.TempDir()
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: dir, Threshold: 10, Limit: 100})
	if spool.Limit() != 100 {
		t.Errorf("the limit is %d", spool.Limit())
	}
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
		"small, and unreadable":  {"012", 10, false, iotest.ErrTimeout},
		"large, and unreadable":  {"012", 50, false, iotest.ErrTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			reader := iotest.DataErrReader(strings.NewReader(c.content))
			if errors.Is(c.err, iotest.ErrTimeout) {
				reader = io.MultiReader(reader, iotest.ErrReader(c.err))
			}
			body, err := spool.Read(reader, c.size)
			if !errors.Is(err, c.err) || err != nil && body != nil {
				t.Fatalf("got %v, error %v, want %v", body, err, c.err)
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
	must.Do(t, os.Remove(dir))
	if _, err := spool.Read(strings.NewReader("0123456789a"), 11); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the directory: got %v", err)
	}
}

// A body takes memory as its bytes arrive. One that finds none goes on in a file, so that nobody waits.
func TestSpoolWithoutMemory(t *testing.T) {
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Memory: 64 << 10})
	read := func(content []byte) *eventstore.Body {
		t.Helper()
		body := must.Get(spool.Read(bytes.NewReader(content), int64(len(content))))(t)
		got, err := io.ReadAll(body.Reader())
		if want := eventstore.NewBody(content); err != nil || !bytes.Equal(got, content) || body.SHA256() != want.SHA256() || body.Size() != want.Size() {
			t.Fatalf("got %d bytes, want %d; %v", len(got), len(content), err)
		}
		return body
	}
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<10) // 48 KiB
	for range 3 {                                              // what fails keeps no memory
		if _, err := spool.Read(bytes.NewReader(content), 50<<10); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a body that is cut short: got %v", err)
		}
	}
	first, second := read(content), read(content)
	if _, inMemory := first.Bytes(); !inMemory {
		t.Error("the first body is in a file")
	}
	if _, inMemory := second.Bytes(); inMemory {
		t.Error("two bodies of 48 KiB are in 64 KiB of memory")
	}
	first.Close()
	second.Close()
	third := read(make([]byte, 64<<10))
	if _, inMemory := third.Bytes(); !inMemory {
		t.Error("the memory of closed bodies is not there again")
	}
	third.Close()
}

// Bodies in files have a maximum in sum. One that finds no room fails, and those that are closed make room.
func TestSpoolWithoutRoom(t *testing.T) {
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10, Limit: 60_000, Files: 100_000})
	read := func(size int) (*eventstore.Body, error) {
		return spool.Read(bytes.NewReader(make([]byte, size)), int64(size))
	}
	first := must.Get(read(60_000))(t)
	refused := 0
	for range 3 { // one that fails keeps nothing
		if _, err := read(50_000); !errors.Is(err, eventstore.ErrSpoolFull) {
			t.Fatalf("a body that has no room: got %v", err)
		}
		refused++
	}
	if small, err := read(10); err != nil {
		t.Errorf("a body in memory: %v", err)
	} else {
		small.Close()
	}
	second := must.Get(read(40_000))(t)
	first.Close()
	first.Close() // again
	second.Close()
	whole := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir(), Threshold: 10, Limit: 1000, Files: 10})
	for range 2 {
		body := must.Get(whole.Read(bytes.NewReader(make([]byte, 1000)), -1))(t)
		body.Close()
	}
	t.Logf("fault: no room for %d bodies in files, which were refused; one in memory and one for which there was room were taken", refused)
}

// Senders that announce much and send little take none of the others' memory.
func TestSpoolIgnoresAnnouncements(t *testing.T) {
	spool := eventstore.NewSpool(eventstore.SpoolConfig{Dir: t.TempDir()})
	var group sync.WaitGroup
	defer group.Wait()
	for range 2 * eventstore.SpoolMemoryDefault / eventstore.SpoolThresholdDefault {
		r, w := io.Pipe()
		group.Go(func() { _, _ = spool.Read(r, eventstore.SpoolThresholdDefault) })
		defer func() { _ = w.Close() }()
		must.Get(w.Write([]byte("x")))(t) // returns when it was read
	}
	body := must.Get(spool.Read(bytes.NewReader(make([]byte, 1000)), 1000))(t)
	defer body.Close()
	if _, inMemory := body.Bytes(); !inMemory {
		t.Error("there is no memory for a body that has come")
	}
}
