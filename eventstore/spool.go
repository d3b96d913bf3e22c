package eventstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sync/semaphore"
)

// ErrBodyTooLarge is the error of Spool.Read for a body above the limit.
var ErrBodyTooLarge = errors.New("body is larger than the limit")

// ErrSpoolFull is the error of Spool.Read when all files together would be larger than SpoolConfig.Files.
var ErrSpoolFull = errors.New("there is no room for more bodies in files")

// Spool receives bodies from the network in bounded memory. It holds small bodies in memory, at most
// SpoolConfig.Memory bytes for all of them together, and writes all others to unlinked files, at most SpoolConfig.Files bytes.
//
// A body takes memory as its bytes arrive, and not as its sender announces them: whoever announces much and sends little
// holds little. A body that finds no memory goes on in a file, so that no body waits for another one's sender.
type Spool struct {
	dir       string
	threshold int64
	limit     int64
	memory    *semaphore.Weighted
	files     *semaphore.Weighted
}

// SpoolConfig configures a Spool. The zero value of a field means its default. Sizes are in bytes.
type SpoolConfig struct {
	// Dir is the directory for files; default the system's temporary directory.
	Dir string
	// Threshold is the largest body that stays in memory; default 4 MiB.
	Threshold int64
	// Limit is the largest body that Read accepts; default 512 MiB.
	Limit int64
	// Memory is the maximum for all bodies in memory together; default 64 MiB. Beyond it, bodies are written to files.
	Memory int64
	// Files is the maximum for all bodies in files together, and at least Limit; default 4 GiB. Beyond it, Read fails.
	Files int64
}

// Defaults of SpoolConfig.
const (
	SpoolThresholdDefault = 4 << 20
	SpoolLimitDefault     = 512 << 20
	SpoolMemoryDefault    = 64 << 20
	SpoolFilesDefault     = 4 << 30
)

// memoryFirst is the memory in bytes that a body takes at first. It doubles whenever it is full.
const memoryFirst = 8 << 10

// NewSpool returns a Spool with the given bounds.
func NewSpool(config SpoolConfig) *Spool {
	s := &Spool{dir: config.Dir, threshold: orDefault(config.Threshold, SpoolThresholdDefault), limit: orDefault(config.Limit, SpoolLimitDefault)}
	s.memory = semaphore.NewWeighted(orDefault(config.Memory, SpoolMemoryDefault))
	s.files = semaphore.NewWeighted(max(orDefault(config.Files, SpoolFilesDefault), s.limit+1)) // the byte beyond the limit is read, too
	return s
}

// Limit returns the size in bytes of the largest body that Read accepts.
func (s *Spool) Limit() int64 { return s.limit }

// Read reads r to its end and hashes the bytes on the way. size is the announced length, or -1 if none was announced.
// It returns ErrBodyTooLarge above the limit, and io.ErrUnexpectedEOF if r ends before the announced length.
func (s *Spool) Read(r io.Reader, size int64) (*Body, error) {
	if size > s.limit {
		return nil, fmt.Errorf("%d bytes announced, limit %d: %w", size, s.limit, ErrBodyTooLarge)
	}
	if size < 0 || size > s.threshold {
		return s.readFile(nil, r, size)
	}
	held := heldMemory{spool: s}
	data, err := held.read(r, size)
	switch {
	case errors.Is(err, errMemoryTaken):
		defer held.release()
		return s.readFile(data, r, size)
	case err != nil:
		held.release()
		return nil, fmt.Errorf("read body of %d bytes: %w", size, err)
	}
	body := NewBody(data)
	body.release = held.release
	return body, nil
}

// errMemoryTaken is the error of heldMemory.read if there is no memory for the rest of a body.
var errMemoryTaken = errors.New("all memory for bodies is taken")

// heldMemory is the memory that one body has taken from its spool.
type heldMemory struct {
	spool *Spool
	bytes int64
}

// grow takes memory, so that it has this many bytes. It returns false if the spool has no more.
func (h *heldMemory) grow(bytes int64) bool {
	if !h.spool.memory.TryAcquire(bytes - h.bytes) {
		return false
	}
	h.bytes = bytes
	return true
}

func (h *heldMemory) release() {
	h.spool.memory.Release(h.bytes)
	h.bytes = 0
}

// read reads size bytes into memory that grows as they arrive. With errMemoryTaken it also returns what it has read.
func (h *heldMemory) read(r io.Reader, size int64) (data []byte, err error) {
	for int64(len(data)) < size {
		if len(data) == cap(data) {
			most := min(max(2*int64(len(data)), memoryFirst), size)
			if !h.grow(most) {
				return data, errMemoryTaken
			}
			data = append(make([]byte, 0, most), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err != nil && int64(len(data)) < size {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return data, err
		}
	}
	return data, nil
}

// heldFile writes a body to its file, and takes room for it from its spool as the bytes arrive.
type heldFile struct {
	spool *Spool
	file  *os.File
	bytes int64
}

func (h *heldFile) Write(p []byte) (int, error) {
	if !h.spool.files.TryAcquire(int64(len(p))) {
		return 0, ErrSpoolFull
	}
	h.bytes += int64(len(p))
	return h.file.Write(p)
}

func (h *heldFile) release() { h.spool.files.Release(h.bytes) }

// readFile writes the beginning of a body and what r has of it to a file.
func (s *Spool) readFile(beginning []byte, r io.Reader, size int64) (*Body, error) {
	file, err := os.CreateTemp(s.dir, "strata-body-*")
	if err != nil {
		return nil, fmt.Errorf("spool body: %w", err)
	}
	// Unlink the file at once, so that nothing is left behind even if the process is killed.
	_ = os.Remove(file.Name())
	digest := sha256.New()
	held := heldFile{spool: s, file: file}
	to := io.MultiWriter(&held, digest)
	n, err := to.Write(beginning)
	copied := int64(n)
	if err == nil {
		var rest int64
		rest, err = io.Copy(to, io.LimitReader(r, s.limit+1-copied))
		copied += rest
	}
	switch {
	case err != nil:
	case copied > s.limit:
		err = ErrBodyTooLarge
	case size >= 0 && copied != size:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = file.Close()
		held.release()
		return nil, fmt.Errorf("spool body after %d bytes: %w", copied, err)
	}
	body := &Body{size: copied, file: file, release: held.release}
	digest.Sum(body.digest[:0])
	return body, nil
}
