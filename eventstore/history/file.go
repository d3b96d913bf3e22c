package history

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"strata/internal/durable"
)

// window is that of the zstd streams: what a reader must hold in memory.
const window = 8 << 20

// fileWriter writes a file of a layer.
type fileWriter struct {
	dir, layer string
	file       *os.File
	digest     hash.Hash // of the file
	written    int64
	zstd       *zstd.Encoder
	content    hash.Hash
	File
}

// CreateFile begins a file of a layer in a folder. The caller writes the content, sets Records, and calls Finish or Discard.
func (d *Dir) CreateFile(layer string, first int64) (_ *fileWriter, err error) { //nolint:revive // only methods of it are called
	if err := os.MkdirAll(filepath.Join(d.path, layer), 0o755); err != nil {
		return nil, err
	}
	w := &fileWriter{dir: d.path, layer: layer, digest: sha256.New(), content: sha256.New(), File: File{First: first}}
	if w.file, err = os.CreateTemp(filepath.Join(d.path, layer), unfinished+"*"); err != nil {
		return nil, err
	}
	w.zstd, err = zstd.NewWriter(countingWriter{w}, zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// unfinished begins the names of files that are being written.
const unfinished = ".unfinished-"

// countingWriter hashes and counts what goes into the file.
type countingWriter struct{ *fileWriter }

func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.file.Write(p)
	c.digest.Write(p[:n])
	c.written += int64(n)
	return n, err
}

// Write writes content.
func (w *fileWriter) Write(p []byte) (int, error) {
	w.content.Write(p)
	w.ContentBytes += int64(len(p))
	return w.zstd.Write(p)
}

// Finish gives the file its name, and returns what the manifest says of it.
func (w *fileWriter) Finish(last int64, state, extension string) (File, error) {
	w.Last, w.State = last, state
	return w.FinishAs(fmt.Sprintf("%012d-%012d", w.First, w.Last), extension)
}

// FinishAs is Finish for a file whose name begins otherwise.
func (w *fileWriter) FinishAs(name, extension string) (File, error) {
	err := w.zstd.Close()
	if err == nil {
		err = w.file.Chmod(0o644)
	}
	if err == nil {
		err = w.file.Sync()
	}
	if closeErr := w.file.Close(); err == nil {
		err = closeErr
	}
	w.Bytes = w.written
	w.SHA256, w.ContentSHA256 = hex.EncodeToString(w.digest.Sum(nil)), hex.EncodeToString(w.content.Sum(nil))
	w.Path = fmt.Sprintf("%s/%s-%s.%s.zst", w.layer, name, w.SHA256[:16], extension)
	if err == nil {
		err = os.Rename(w.file.Name(), filepath.Join(w.dir, filepath.FromSlash(w.Path)))
	}
	if err == nil {
		err = durable.SyncFolder(filepath.Join(w.dir, w.layer))
	}
	if err != nil {
		_ = os.Remove(w.file.Name())
	}
	return w.File, err
}

// Discard removes what was written.
func (w *fileWriter) Discard() {
	_ = w.file.Close()
	_ = os.Remove(w.file.Name())
}

// Content reads the content of a file whose SHA-256 is that of the manifest, and checks that of the content at its end.
type Content struct {
	*bufio.Reader
	of     File
	zstd   *zstd.Decoder
	digest hash.Hash
	read   int64
}

// openContent reads the content of a file.
func openContent(f File, stored io.Reader) (*Content, error) {
	c := &Content{of: f, digest: sha256.New()}
	var err error
	if c.zstd, err = zstd.NewReader(stored, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(2)); err != nil {
		return nil, err
	}
	c.Reader = bufio.NewReaderSize(contentReader{c: c}, 1<<20)
	return c, nil
}

// Close frees memory.
func (c *Content) Close() { c.zstd.Close() }

// Left returns how many bytes the manifest says that are left, apart from those that were read ahead.
func (c *Content) Left() int64 { return c.of.ContentBytes - c.read + int64(c.Buffered()) }

// contentReader is the stream below the buffer of a Content.
type contentReader struct{ c *Content }

var errContent = errors.New("its content is not what the manifest says")

// Read implements io.Reader.
func (r contentReader) Read(p []byte) (int, error) {
	c := r.c
	n, err := c.zstd.Read(p)
	c.digest.Write(p[:n])
	switch c.read += int64(n); {
	case c.read > c.of.ContentBytes:
		return 0, fmt.Errorf("%w: more than %d bytes", errContent, c.of.ContentBytes)
	case errors.Is(err, io.EOF) && (c.read != c.of.ContentBytes || hex.EncodeToString(c.digest.Sum(nil)) != c.of.ContentSHA256):
		return n, fmt.Errorf("%w: %d bytes with the SHA-256 %x, want %d with %s", errContent, c.read, c.digest.Sum(nil), c.of.ContentBytes, c.of.ContentSHA256)
	}
	return n, err
}
