package stream_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// streamEvent is an event of a stream, as an EventSource hands it over.
type streamEvent struct{ id, name, data string }

// streamClient follows a stream as an EventSource does: it remembers the last id, and goes on from there.
type streamClient struct {
	t      testing.TB
	url    string
	last   string
	opened int
}

// open connects, from the last id on.
func (c *streamClient) open(ctx context.Context) *openStream {
	c.t.Helper()
	r := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil))(c.t)
	if c.last != "" {
		r.Header.Set("Last-Event-ID", c.last)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			c.t.Error(err)
		}
		return nil
	}
	if w.StatusCode != http.StatusOK || w.Header.Get("Content-Type") != "text/event-stream" {
		c.t.Errorf("%s from %q: got %s %v", c.url, c.last, w.Status, w.Header)
		_ = w.Body.Close()
		return nil
	}
	c.opened++
	return &openStream{client: c, response: w, lines: bufio.NewReader(w.Body)}
}

// openStream is a connection.
type openStream struct {
	client   *streamClient
	response *http.Response
	lines    *bufio.Reader
	id       string
}

func (s *openStream) close() { _ = s.response.Body.Close() }

// next is the next event, or one without a name for a heartbeat and when the last id has changed without one; ok is false at
// the end of the stream.
func (s *openStream) next() (e streamEvent, ok bool) {
	s.id = s.client.last
	beat := false
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			moved := s.id != s.client.last
			s.client.last = s.id
			e.id = s.id
			if e.data != "" || moved || beat {
				return e, true
			}
		case field == "":
			beat = true
		case field == "id":
			s.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		}
	}
}
