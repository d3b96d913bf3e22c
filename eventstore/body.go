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

// ErrBodyTooLarge is the error of Spool.Read for a body above the limit.
var ErrBodyTooLarge = errors.New("body is larger than the limit")

// Body holds the received bytes of one event: in memory, or in an unlinked file that disappears on Close.
type Body struct {
	size    int64
	digest  [sha256.Size]byte
	data    []byte
	file    *os.File
	release func()
}

// NewBody wraps data, which the caller must not change afterwards.
func NewBody(data []byte) *Body {
	return &Body{size: int64(len(data)), digest: sha256.Sum256(data), data: data}
}

// Size returns the length in bytes.
func (b *Body) Size() int64 { return b.size }

// SHA256 returns the digest of the bytes.
func (b *Body) SHA256() [sha256.Size]byte { return b.digest }

// Reader returns a new reader that starts at the first byte. Several may be open at once.
func (b *Body) Reader() io.Reader {
	if b.file != nil {
		return io.NewSectionReader(b.file, 0, b.size)
	}
	return bytes.NewReader(b.data)
}

// Bytes returns the bytes of a body in memory. It returns false for a body in a file.
func (b *Body) Bytes() ([]byte, bool) { return b.data, b.file == nil }

// Close closes the file and returns the body's share of memory to its spool. It may be called twice.
func (b *Body) Close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.release != nil {
		b.release()
		b.release = nil
	}
}

// Spool receives bodies from the network in bounded memory. It holds small bodies in memory, at most
// SpoolConfig.Memory bytes for all of them together, and writes larger ones to unlinked files.
type Spool struct {
	dir       string
	threshold int64
	limit     int64
	memory    *semaphore.Weighted
}

// SpoolConfig configures a Spool. The zero value of a field means its default. Sizes are in bytes.
type SpoolConfig struct {
	// Dir is the directory for files; default the system's temporary directory.
	Dir string
	// Threshold is the largest body that stays in memory; default 1 MiB.
	Threshold int64
	// Limit is the largest body that Read accepts; default 512 MiB.
	Limit int64
	// Memory is the maximum for all bodies in memory together; default 64 MiB. Beyond it, Read waits until another
	// body is closed.
	Memory int64
}

// Defaults of SpoolConfig.
const (
	SpoolThresholdDefault = 1 << 20
	SpoolLimitDefault     = 512 << 20
	SpoolMemoryDefault    = 64 << 20
)

// NewSpool returns a Spool with the given bounds.
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

// Limit returns the size in bytes of the largest body that Read accepts.
func (s *Spool) Limit() int64 { return s.limit }

// Read reads r to its end and hashes the bytes on the way. size is the announced length, or -1 if none was announced.
// It returns ErrBodyTooLarge above the limit, and io.ErrUnexpectedEOF if r ends before the announced length.
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
	// Unlink the file at once, so that nothing is left behind even if the process is killed.
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
