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

// capped reads until there is more than there may be; then it fails with FailureTooLarge. Unlike io.LimitReader it
// tells a body that was cut from one that ends there.
type capped struct {
	from io.Reader
	max  int64
	left int64
}

func newCapped(from io.Reader, limit int64) *capped {
	return &capped{from: from, max: limit, left: limit}
}

func (c *capped) Read(p []byte) (int, error) {
	if int64(len(p)) > c.left {
		p = p[:c.left+1]
	}
	n, err := c.from.Read(p)
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

// patient pushes a timer ahead as long as bytes come.
type patient struct {
	from  io.Reader
	timer *time.Timer
	idle  time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.timer.Reset(p.idle)
	}
	return n, err
}

// readBody reads a body of at most limit bytes, before and after its coding is undone. decoded names the coding, if
// there was one that is known.
func readBody(response *http.Response, from io.Reader, limit int64) (body []byte, decoded string, err error) {
	if response.ContentLength > limit {
		return nil, "", tooLarge(limit)
	}
	from = newCapped(from, limit)
	coding := strings.ToLower(strings.TrimSpace(response.Header.Get("content-encoding")))
	if coding != "gzip" && coding != "x-gzip" {
		body, err = io.ReadAll(from)
		return body, "", err
	}
	unzipped, err := gzip.NewReader(from)
	if errors.Is(err, io.EOF) {
		return []byte{}, coding, nil // nothing, whatever its coding
	}
	if err != nil {
		return nil, "", fmt.Errorf("the body is not the gzip that it is said to be: %w", err)
	}
	body, err = io.ReadAll(newCapped(unzipped, limit))
	if err != nil {
		return nil, "", fmt.Errorf("unzipping the body: %w", err)
	}
	return body, coding, nil
}
