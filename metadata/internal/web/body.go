package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"strata/domain/fetch"
)

// cappedReader reads at most max bytes, and fails with FailureTooLarge if there are more. io.LimitReader would not
// distinguish a body of exactly max bytes from a longer one.
type cappedReader struct {
	source io.Reader
	max    int64
	left   int64
}

func newCappedReader(source io.Reader, limit int64) *cappedReader {
	return &cappedReader{source: source, max: limit, left: limit}
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		p = p[:c.left+1]
	}
	n, err := c.source.Read(p)
	c.left -= int64(n)
	if c.left < 0 {
		c.left = 0
		return 0, tooLarge(c.max)
	}
	return n, err
}

func tooLarge(limit int64) error {
	return &failure{fetch.FailureTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit)}
}

// idleTimeoutReader resets a timer whenever bytes arrive.
type idleTimeoutReader struct {
	source io.Reader
	timer  *time.Timer
	idle   time.Duration
}

func (r *idleTimeoutReader) Read(b []byte) (int, error) {
	n, err := r.source.Read(b)
	if n > 0 {
		r.timer.Reset(r.idle)
	}
	return n, err
}

// gzipMagic begins gzip with its only method (RFC 1952, 2.3.1). No document or image begins so.
const gzipMagic = "\x1f\x8b\x08"

// readBody reads a body of at most limit bytes. The limit applies both before and after decoding. decoded is the coding
// that readBody has undone, if any. It unpacks gzip also if the header does not say so: files were stored with it.
func readBody(response *http.Response, source io.Reader, limit int64) (body []byte, decoded string, err error) {
	if response.ContentLength > limit {
		return nil, "", tooLarge(limit)
	}
	source = newCappedReader(source, limit)
	coding := strings.ToLower(strings.TrimSpace(response.Header.Get("content-encoding")))
	if coding != "gzip" && coding != "x-gzip" {
		body, err = io.ReadAll(source)
		if err != nil || !bytes.HasPrefix(body, []byte(gzipMagic)) {
			return body, "", err
		}
		unzipped, err := unzip(bytes.NewReader(body), limit)
		var large *failure
		switch {
		case errors.As(err, &large):
			return nil, "", err
		case err != nil: // it only begins like gzip
			return body, "", nil
		}
		return unzipped, "gzip", nil
	}
	body, err = unzip(source, limit)
	if errors.Is(err, io.EOF) {
		return []byte{}, coding, nil // an empty body is empty in every coding
	}
	return body, coding, err
}

// unzip unpacks at most limit bytes. The error is io.EOF if there is nothing to unpack.
func unzip(source io.Reader, limit int64) ([]byte, error) {
	unzipped, err := gzip.NewReader(source)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("the body is not the gzip that it is said to be: %w", err)
	}
	body, err := io.ReadAll(newCappedReader(unzipped, limit))
	if err != nil {
		return nil, fmt.Errorf("unzipping the body: %w", err)
	}
	return body, nil
}
