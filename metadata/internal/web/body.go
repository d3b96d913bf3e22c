package web

import (
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

// readBody reads a body of at most limit bytes. The limit applies both before and after decoding. decoded is the coding
// that readBody has undone, if any.
func readBody(response *http.Response, source io.Reader, limit int64) (body []byte, decoded string, err error) {
	if response.ContentLength > limit {
		return nil, "", tooLarge(limit)
	}
	source = newCappedReader(source, limit)
	coding := strings.ToLower(strings.TrimSpace(response.Header.Get("content-encoding")))
	if coding != "gzip" && coding != "x-gzip" {
		body, err = io.ReadAll(source)
		return body, "", err
	}
	unzipped, err := gzip.NewReader(source)
	if errors.Is(err, io.EOF) {
		return []byte{}, coding, nil // an empty body is empty in every coding
	}
	if err != nil {
		return nil, "", fmt.Errorf("the body is not the gzip that it is said to be: %w", err)
	}
	body, err = io.ReadAll(newCappedReader(unzipped, limit))
	if err != nil {
		return nil, "", fmt.Errorf("unzipping the body: %w", err)
	}
	return body, coding, nil
}
