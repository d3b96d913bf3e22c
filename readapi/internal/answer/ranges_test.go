package answer_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"strata/readapi/internal/answer"
)

// countingContent counts how often a body is read from another place than where the last read ended.
type countingContent struct {
	*strings.Reader
	jumps  int
	at     int64
	closed bool
}

func (c *countingContent) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.at += int64(n)
	return n, err
}

func (c *countingContent) Seek(offset int64, whence int) (int64, error) {
	at, err := c.Reader.Seek(offset, whence)
	if at < c.at && whence == io.SeekStart && at > 0 {
		c.jumps++
	}
	c.at = at
	return at, err
}

func (c *countingContent) Close() error {
	c.closed = true
	return nil
}

// Few ranges in ascending order are sent; whoever asks for more, or for parts here and there, gets the whole body.
func TestRanges(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("0123456789", 100)
	for ranges, status := range map[string]int{
		"bytes=0-0":                         http.StatusPartialContent,
		"bytes=-5":                          http.StatusPartialContent,
		"bytes=990-":                        http.StatusPartialContent,
		"bytes=0-9,20-29":                   http.StatusPartialContent,
		"bytes=0-9, 20-29 ,40-49,60-":       http.StatusPartialContent,
		"bytes=0-9,-5":                      http.StatusPartialContent,
		"bytes=0-9,20-29,40-49,60-69,80-89": http.StatusOK, // many
		"bytes=20-29,0-9":                   http.StatusOK, // back
		"bytes=0-9,9-20":                    http.StatusOK, // one overlaps another
		"bytes=0-,5-6":                      http.StatusOK,
		"bytes=-5,0-1":                      http.StatusOK,
		"bytes=0-9,x":                       http.StatusOK,
		"bytes=0-9,":                        http.StatusOK,
		"bytes=1000-":                       http.StatusRequestedRangeNotSatisfiable,
		"bytes=x":                           http.StatusRequestedRangeNotSatisfiable,
	} {
		content := &countingContent{Reader: strings.NewReader(whole)}
		a := answer.New(answer.Config{
			Class: answer.Immutable, Tag: tag, Size: int64(len(whole)), ContentType: "text/plain",
			Open: func(context.Context) io.ReadSeekCloser { return content },
		})
		got := serve(a, http.MethodGet, http.Header{"Range": {ranges}}, answer.Moment{})
		if got.Code != status || status == http.StatusOK && got.Body.String() != whole {
			t.Errorf("%s: got %d with %d bytes, want %d", ranges, got.Code, got.Body.Len(), status)
		}
		if content.jumps > 0 || !content.closed {
			t.Errorf("%s: jumped back %d times; closed: %t", ranges, content.jumps, content.closed)
		}
	}
	a := answer.New(answer.Config{Class: answer.Immutable, Tag: tag, Body: []byte(whole), Fields: []answer.Field{{Name: "Accept-Ranges", Values: []string{"bytes"}}}})
	if got := serve(a, http.MethodGet, http.Header{"Range": {"bytes=0-1", "bytes=3-4"}}, answer.Moment{}); got.Code != http.StatusOK || got.Body.String() != whole {
		t.Errorf("two lines of ranges: got %d with %d bytes", got.Code, got.Body.Len())
	}
}
