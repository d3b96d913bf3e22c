package importer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"strata/eventstore/archive"
)

// beginning is the maximum number of bytes of the first line that go into an archive's key.
const beginning = 64 << 10

// input is one archive: a file, or a stream such as a pipe, which can be read only once.
type input struct {
	name    string // as given
	base    string // base name, for the source of events
	archive string // key in log.import
	size    int64  // on disk; 0: unknown
	gzip    bool
	once    bool // a stream: file and text stay open from inspect to the import

	started bool // the reader has taken over, and closes it
	file    io.ReadCloser
	text    *bufio.Reader // decompressed
	read    atomic.Int64  // bytes of file read so far
}

// inspect checks that an archive can be read and determines its key. A pipe may block it; the end of ctx ends that.
func inspect(ctx context.Context, name string, stdin io.Reader) (*input, error) {
	in := &input{name: name, base: strings.ToValidUTF8(filepath.Base(name), "\ufffd")}
	if name == Stdin {
		in.base, in.once = "stdin", true
		in.file = io.NopCloser(stdin)
	} else {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it", name)
		}
		in.once = !info.Mode().IsRegular()
		if !in.once {
			in.size = info.Size()
		}
		if in.file, err = os.Open(name); err != nil {
			return nil, err
		}
	}
	begun := make(chan error, 1)
	go func() { begun <- in.begin() }()
	var err error
	select {
	case err = <-begun:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !in.once || err != nil {
		in.close()
		in.read.Store(0)
	}
	return in, err
}

// begin reads the first line and sets the archive's key.
func (in *input) begin() error {
	if err := in.decompress(); err != nil {
		return err
	}
	first, err := in.peekLine()
	if err != nil {
		return fmt.Errorf("%s: read the beginning: %w", in.name, err)
	}
	digest := sha256.Sum256(first)
	in.archive = in.base + ":" + hex.EncodeToString(digest[:8])
	return nil
}

// peekLine returns the first line, or the beginning of a long one. It does not wait for more of a pipe than that.
func (in *input) peekLine() ([]byte, error) {
	for n := 1; ; n = min(in.text.Buffered()+1, beginning) {
		have, err := in.text.Peek(n)
		if err == nil {
			have, err = in.text.Peek(in.text.Buffered())
		}
		if end := bytes.IndexByte(have, '\n'); end >= 0 {
			return have[:end+1], nil
		}
		switch {
		case len(have) >= beginning, errors.Is(err, io.EOF):
			return have, nil
		case err != nil:
			return nil, err
		}
	}
}

func (in *input) decompress() error {
	raw := bufio.NewReaderSize(in, beginning)
	magic, err := raw.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	in.text = raw
	if in.gzip = bytes.Equal(magic, []byte{0x1f, 0x8b}); in.gzip {
		z, err := gzip.NewReader(raw)
		if err != nil {
			return fmt.Errorf("%s: read the gzip header: %w", in.name, err)
		}
		in.text = bufio.NewReaderSize(truncation{z}, beginning)
	}
	return nil
}

// open prepares for reading from the first byte. For a stream, inspect has done so.
func (in *input) open() error {
	if in.once {
		return nil
	}
	file, err := os.Open(in.name)
	if err != nil {
		return err
	}
	in.file = file
	if err := in.decompress(); err != nil {
		in.close()
		return err
	}
	return nil
}

func (in *input) close() {
	if in.file != nil {
		_ = in.file.Close() // nothing was written to it
	}
}

// Read reads from the file and counts the bytes.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.file.Read(p)
	in.read.Add(int64(n))
	return n, err
}

// truncation turns the early end of a gzip stream into archive.ErrTruncatedGzip.
type truncation struct{ in io.Reader }

func (t truncation) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = archive.ErrTruncatedGzip
	}
	return n, err
}
