package internal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strata/internal/testkit/must"
	"strata/readapi/internal/piece"
)

// Whatever parts are read, they are those of the body, and no more of it is read than what was asked for and a piece.
func TestReaderReadsParts(t *testing.T) {
	t.Parallel()
	content := make([]byte, 3<<20+77)
	for i := range content {
		content[i] = byte(i>>12 ^ i*31)
	}
	pool := piece.NewPool(64 << 20)
	rapid.Check(t, func(rt *rapid.T) {
		read := int64(0)
		r := pool.NewReader(t.Context(), int64(len(content)), func(_ context.Context, offset, n int64) ([]byte, error) {
			read += n
			return content[offset : offset+n], nil
		})
		defer func() { _ = r.Close() }()
		asked, parts := int64(0), rapid.IntRange(1, 4).Draw(rt, "parts")
		for range parts {
			from := rapid.Int64Range(0, int64(len(content))).Draw(rt, "from")
			n := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, int64(len(content))-from)).Draw(rt, "n")
			n = min(n, int64(len(content))-from)
			if at, err := r.Seek(from, io.SeekStart); err != nil || at != from {
				rt.Fatalf("seek to %d: got %d, %v", from, at, err)
			}
			var got bytes.Buffer
			if _, err := io.CopyN(&got, r, n); err != nil || !bytes.Equal(got.Bytes(), content[from:from+n]) {
				rt.Fatalf("%d bytes from %d: got %d, %v", n, from, got.Len(), err)
			}
			asked += n
		}
		if most := asked + int64(parts)*piece.Max; read > most {
			rt.Fatalf("read %d bytes for %d", read, asked)
		}
	})
}

// A few bytes cost no piece, and a long body comes in large ones.
func TestReaderReadsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	b := &body{content: make([]byte, 8<<20)}
	r := piece.NewPool(64<<20).NewReader(t.Context(), int64(len(b.content)), b.read)
	defer func() { _ = r.Close() }()
	for _, from := range []int64{0, 5 << 20, 1 << 20} {
		must.Get(r.Seek(from, io.SeekStart))(t)
		must.Get(io.CopyN(io.Discard, r, 10))(t)
		if b.largest > 10 {
			t.Errorf("read %d bytes at %d, want 10", b.largest, from)
		}
	}
	must.Get(r.Seek(0, io.SeekStart))(t)
	if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(b.content)) || b.largest != piece.Max {
		t.Errorf("got %d bytes, in pieces of up to %d; %v", n, b.largest, err)
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("seeks before the beginning")
	}
}

// A reader holds the memory of one piece until it is closed. Who closes it ends a read that waits for memory.
func TestReaderGivesMemoryBack(t *testing.T) {
	t.Parallel()
	pool := piece.NewPool(2 * piece.Min) // one small piece, and one large
	b := &body{content: make([]byte, 10*piece.Min)}
	size := int64(len(b.content))
	var held []*piece.Reader
	for range 2 {
		r := pool.NewReader(t.Context(), size, b.read)
		must.Get(io.CopyN(io.Discard, r, piece.Min))(t)
		held = append(held, r)
	}
	waiting := pool.NewReader(t.Context(), size, b.read)
	time.AfterFunc(20*time.Millisecond, func() { _ = waiting.Close() })
	if _, err := io.CopyN(io.Discard, waiting, piece.Min); !errors.Is(err, context.Canceled) {
		t.Errorf("without memory, and closed: got %v", err)
	}
	for _, r := range held {
		for range 2 { // twice does no harm
			must.Do(t, r.Close())
		}
		if _, err := r.Read(make([]byte, 1)); err == nil {
			t.Error("reads after it was closed")
		}
	}
	if err := pool.Copy(t.Context(), io.Discard, 0, 2*piece.Min, b.read); err != nil {
		t.Errorf("the memory did not come back: %v", err)
	}
}
