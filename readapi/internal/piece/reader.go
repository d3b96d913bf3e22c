package piece

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// copyBuffer is how much io.Copy asks for at once, in bytes. Who asks for less of a part needs no more.
const copyBuffer = 32 << 10

// Reader reads a body of which parts are asked for, in pieces from the memory of a pool. It holds one piece at a time, and
// reads no more of the body than it has to. It must be closed.
type Reader struct {
	ctx    context.Context
	cancel context.CancelFunc
	pool   *Pool
	size   int64
	read   func(ctx context.Context, offset, n int64) ([]byte, error)

	mu       sync.Mutex // http.ServeContent may still read in the background when its caller closes the reader
	at       int64      // offset of the next byte
	piece    []byte
	pieceAt  int64 // offset of the piece
	giveBack func()
	want     int64 // size of the next piece, if it follows this one
	loaded   time.Time
	jumped   bool // nothing was read since Seek
	closed   bool
}

var _ io.ReadSeekCloser = (*Reader)(nil)

// NewReader returns a reader of a body of this size. read returns up to n bytes from an offset on; it returns none only with
// an error.
func (p *Pool) NewReader(ctx context.Context, size int64, read func(ctx context.Context, offset, n int64) ([]byte, error)) *Reader {
	ctx, cancel := context.WithCancel(ctx)
	return &Reader{ctx: ctx, cancel: cancel, pool: p, size: size, read: read, want: Min, giveBack: func() {}}
}

var (
	errClosed = errors.New("read a body after its reader was closed")
	errSeek   = errors.New("seek before the beginning of a body")
)

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return 0, errClosed
	case r.at >= r.size:
		return 0, io.EOF
	}
	if r.at < r.pieceAt || r.at >= r.pieceAt+int64(len(r.piece)) {
		if err := r.load(int64(len(b))); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.piece[r.at-r.pieceAt:])
	r.at += int64(n)
	return n, nil
}

// load takes the piece that begins at the next byte, of which the caller wants some bytes now. Pieces grow as long as they
// follow each other and are taken quickly.
func (r *Reader) load(now int64) error {
	follows := r.at == r.pieceAt+int64(len(r.piece))
	if follows && time.Since(r.loaded) <= quick {
		r.want = min(2*r.want, Max)
	} else {
		r.want = Min
	}
	n := min(r.want, r.size-r.at)
	if r.jumped && now < copyBuffer {
		n = min(n, now)
	}
	r.jumped = false
	r.giveBack()
	r.piece, r.pieceAt, r.giveBack = nil, r.at, func() {}
	n, giveBack, err := r.pool.take(r.ctx, n)
	if err != nil {
		return err
	}
	if r.piece, err = r.read(r.ctx, r.at, n); err != nil {
		giveBack()
		return err
	}
	r.giveBack, r.loaded = giveBack, time.Now()
	return nil
}

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errSeek
	}
	r.at, r.jumped = offset, true
	return offset, nil
}

// Close gives the memory back. A read that is under way ends.
func (r *Reader) Close() error {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.giveBack()
	}
	r.closed, r.piece = true, nil
	return nil
}
