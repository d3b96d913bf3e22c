package eventstore

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
)

// Body holds the received bytes of one event: in memory, or in an unlinked file that disappears on Close.
type Body struct {
	size    int64
	digest  [sha256.Size]byte
	data    []byte
	packed  []byte // what is stored; nil for the bytes themselves
	file    *os.File
	release func()
}

// NewBody wraps data, which the caller must not change afterwards.
func NewBody(data []byte) *Body {
	if data == nil {
		data = []byte{} // an empty body is not NULL
	}
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

// stored returns what is stored of a body in memory.
func (b *Body) stored() []byte {
	if b.packed != nil {
		return b.packed
	}
	return b.data
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
