package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/semaphore"
)

// ErrBodyTooLarge is returned by Spool.Read for a body above the limit.
var ErrBodyTooLarge = errors.New("body is larger than the limit")

// Body is the received bytes of one event: in memory when small, else in a file that is gone when it is closed.
type Body struct {
	size    int64
	digest  [sha256.Size]byte
	data    []byte
	file    *os.File
	release func()
}

// NewBody wraps bytes in memory. The caller must not change them afterwards.
func NewBody(data []byte) *Body {
	return &Body{size: int64(len(data)), digest: sha256.Sum256(data), data: data}
}

// Size in bytes.
func (b *Body) Size() int64 { return b.size }

// SHA256 of the bytes.
func (b *Body) SHA256() [sha256.Size]byte { return b.digest }

// Reader starts at the first byte. Several may be open at once.
func (b *Body) Reader() io.Reader {
	if b.file != nil {
		return io.NewSectionReader(b.file, 0, b.size)
	}
	return bytes.NewReader(b.data)
}

// Bytes returns the body, and false when it is not in memory.
func (b *Body) Bytes() ([]byte, bool) { return b.data, b.file == nil }

// Close gives back the file and the memory that the body was allowed. It may be called twice.
func (b *Body) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.release != nil {
		b.release()
		b.release = nil
	}
}

// Spool takes bodies from the network into a bounded place: small ones into memory, of which all bodies together
// get no more than Memory bytes, larger ones into unlinked files in Dir.
type Spool struct {
	dir       string
	threshold int64
	limit     int64
	memory    *semaphore.Weighted
}

// SpoolConfig sets the bounds of a Spool. The zero value of a field means its default.
type SpoolConfig struct {
	// Dir for the files; default the system's temporary directory.
	Dir string
	// Threshold above which a body goes to a file; default 1 MiB.
	Threshold int64
	// Limit of one body; default 512 MiB.
	Limit int64
	// Memory that all bodies together may hold; default 64 MiB. A body that finds none waits.
	Memory int64
}

// Defaults of SpoolConfig.
const (
	SpoolThresholdDefault = 1 << 20
	SpoolLimitDefault     = 512 << 20
	SpoolMemoryDefault    = 64 << 20
)

// NewSpool makes a Spool.
func NewSpool(config SpoolConfig) *Spool {
	s := &Spool{dir: config.Dir, threshold: config.Threshold, limit: config.Limit}
	if s.threshold <= 0 {
		s.threshold = SpoolThresholdDefault
	}
	if s.limit <= 0 {
		s.limit = SpoolLimitDefault
	}
	memory := config.Memory
	if memory <= 0 {
		memory = SpoolMemoryDefault
	}
	s.threshold = min(s.threshold, memory)
	s.memory = semaphore.NewWeighted(memory)
	return s
}

// Limit of one body in bytes.
func (s *Spool) Limit() int64 { return s.limit }

// Read takes all of r, hashing on the way. size is the announced length, or -1 when there is none. It returns
// ErrBodyTooLarge above the limit, and io.ErrUnexpectedEOF when r ends before the announced length.
func (s *Spool) Read(ctx context.Context, r io.Reader, size int64) (*Body, error) {
	if size > s.limit {
		return nil, fmt.Errorf("%d bytes announced, limit %d: %w", size, s.limit, ErrBodyTooLarge)
	}
	if size >= 0 && size <= s.threshold {
		return s.readMemory(ctx, r, size)
	}
	return s.readFile(r, size)
}

func (s *Spool) readMemory(ctx context.Context, r io.Reader, size int64) (*Body, error) {
	if err := s.memory.Acquire(ctx, size); err != nil {
		return nil, fmt.Errorf("wait for %d bytes of memory for bodies: %w", size, err)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		s.memory.Release(size)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read body of %d bytes: %w", size, err)
	}
	body := NewBody(data)
	body.release = func() { s.memory.Release(size) }
	return body, nil
}

func (s *Spool) readFile(r io.Reader, size int64) (*Body, error) {
	file, err := os.CreateTemp(s.dir, "strata-body-*")
	if err != nil {
		return nil, fmt.Errorf("spool body: %w", err)
	}
	// Unlinked at once: whatever kills the process, nothing is left behind.
	_ = os.Remove(file.Name())
	digest := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, digest), io.LimitReader(r, s.limit+1))
	switch {
	case err != nil:
	case n > s.limit:
		err = ErrBodyTooLarge
	case size >= 0 && n != size:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("spool body after %d bytes: %w", n, err)
	}
	body := &Body{size: n, file: file}
	digest.Sum(body.digest[:0])
	return body, nil
}
