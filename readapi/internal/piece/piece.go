// Package piece sends large bodies in pieces from bounded memory.
//
// A client that reads fast gets large pieces, because each costs a query. A client that stops reading holds the piece that
// it was sent last, so that pieces begin small and grow only as long as they are taken quickly. All large pieces share
// one budget, and all small ones another: clients that were fast and then stopped can't keep the small pieces from others.
package piece

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// Min is the size of the first piece, in bytes.
	Min = 64 << 10
	// Max is the size of the largest piece, in bytes.
	Max = 1 << 20
	// quick is the time in which a piece must be taken for the next one to be larger.
	quick = time.Second
)

// Pool bounds the memory of all pieces. It is safe for concurrent use.
type Pool struct{ large, small *semaphore.Weighted }

// NewPool returns a pool of this many bytes. A quarter of them is for small pieces.
func NewPool(bytes int64) *Pool {
	small := max(bytes/4, Min)
	return &Pool{large: semaphore.NewWeighted(bytes - small), small: semaphore.NewWeighted(small)}
}

// take returns the size of a piece, at most want, once there is memory for it, and a function that gives the memory back.
func (p *Pool) take(ctx context.Context, want int64) (size int64, giveBack func(), err error) {
	large := func(size int64) (int64, func(), error) { return size, func() { p.large.Release(size) }, nil }
	if want > Min && p.large.TryAcquire(want) {
		return large(want)
	}
	want = min(want, Min)
	switch {
	case p.small.TryAcquire(want):
	case p.large.TryAcquire(want): // many slow clients leave something to others as long as there is anything
		return large(want)
	default:
		if err := p.small.Acquire(ctx, want); err != nil {
			return 0, nil, fmt.Errorf("wait for memory for a piece of a body: %w", err)
		}
	}
	return want, func() { p.small.Release(want) }, nil
}

// Copy writes the bytes from offset to size to w. read returns up to n of them, from an offset on; it returns none only
// with an error.
func (p *Pool) Copy(ctx context.Context, w io.Writer, offset, size int64, read func(ctx context.Context, offset, n int64) ([]byte, error)) error {
	for want := int64(Min); offset < size; {
		n, took, err := p.send(ctx, w, offset, min(want, size-offset), read)
		if err != nil {
			return err
		}
		offset += n
		if took <= quick {
			want = min(2*want, Max)
		} else {
			want = Min
		}
	}
	return nil
}

// send sends one piece, and returns its size and the time that the client took for it.
func (p *Pool) send(ctx context.Context, w io.Writer, offset, want int64, read func(ctx context.Context, offset, n int64) ([]byte, error)) (n int64, took time.Duration, err error) {
	want, giveBack, err := p.take(ctx, want)
	if err != nil {
		return 0, 0, err
	}
	defer giveBack()
	content, err := read(ctx, offset, want)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	written, err := w.Write(content)
	return int64(written), time.Since(begin), err
}
