package internal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/readapi/internal/piece"
)

// body reads from memory, and notes the largest piece.
type body struct {
	content []byte
	largest int64
}

func (b *body) read(_ context.Context, offset, n int64) ([]byte, error) {
	b.largest = max(b.largest, n)
	return b.content[offset : offset+n], nil
}

func TestCopyPieces(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), 1<<19) // 5 MiB
	for _, offset := range []int64{0, 1, int64(len(content)) - 1, int64(len(content))} {
		b := &body{content: content}
		var got bytes.Buffer
		if err := piece.NewPool(64<<20).Copy(t.Context(), &got, offset, int64(len(content)), b.read); err != nil || !bytes.Equal(got.Bytes(), content[offset:]) {
			t.Errorf("from %d: got %d bytes, %v", offset, got.Len(), err)
		}
		if offset == 0 && b.largest != piece.Max {
			t.Errorf("the largest piece has %d bytes, want %d", b.largest, piece.Max)
		}
	}
}

// stuck is a client that takes nothing until it is released.
type stuck struct{ begun, release chan struct{} }

func (s *stuck) Write(b []byte) (int, error) {
	s.begun <- struct{}{}
	<-s.release
	return 0, io.ErrClosedPipe
}

// Clients that take nothing hold a small piece each; whoever finds no memory waits, as long as its context allows.
func TestBoundOfPieces(t *testing.T) {
	t.Parallel()
	const clients = 4
	pool := piece.NewPool(clients * piece.Min)
	b := &body{content: make([]byte, 10*piece.Min)}
	s := &stuck{begun: make(chan struct{}), release: make(chan struct{})}
	ended := make(chan error, clients)
	for range clients {
		go func() {
			own := &body{content: b.content}
			ended <- pool.Copy(t.Context(), s, 0, int64(len(own.content)), own.read)
		}()
		eventually.Receive(t, "the client has its piece", s.begun)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := pool.Copy(ctx, io.Discard, 0, 10, b.read); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without memory: got %v", err)
	}
	close(s.release)
	for range clients {
		if err := eventually.Receive(t, "the client is gone", ended); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("the client that has gone: got %v", err)
		}
	}
	if err := pool.Copy(t.Context(), io.Discard, 0, 10, b.read); err != nil {
		t.Errorf("the memory did not come back: %v", err)
	}
}
