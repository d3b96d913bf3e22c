package lean

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"strata/proxy/internal/cancel"
)

// request has everything that belongs to a single request, in one allocation.
type request struct {
	cancel.Context

	conn *conn
	url  url.URL
	body body
}

// Value implements context.Context. It knows the same keys as net/http's server.
func (r *request) Value(key any) any {
	switch key {
	case http.ServerContextKey:
		return r.conn.server.HTTP
	case http.LocalAddrContextKey:
		return r.conn.net.LocalAddr()
	}
	return nil
}

var _ context.Context = (*request)(nil)

// body is a request body that is already in memory.
type body struct {
	bytes.Reader

	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.Reader.Read(p)
}

// WriteTo implements io.WriterTo.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.Reader.WriteTo(w)
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

// parseTarget sets the URL from a target, as net/http does. It returns false for a target that net/http refuses.
func (r *request) parseTarget(target string) bool {
	path, query, _ := strings.Cut(target, "?")
	if all(path, inPath) && !strings.HasSuffix(target, "?") {
		r.url.Path, r.url.RawQuery = path, query
		return true
	}
	parsed, err := url.ParseRequestURI(target)
	if err != nil {
		return false
	}
	r.url = *parsed
	return true
}

// newRequest builds the http.Request for the handler. Its header belongs to the connection.
func (c *conn) newRequest(r *request, content []byte) *http.Request {
	h := &c.head
	clear(c.header)
	if cap(c.values) < len(h.fields) {
		c.values = make([]string, 0, 2*len(h.fields))
	}
	values := c.values[:0]
	for _, f := range h.fields {
		if before, again := c.header[f.name]; again {
			c.header[f.name] = append(before, f.value)
			continue
		}
		values = append(values, f.value)
		c.header[f.name] = values[len(values)-1 : len(values) : len(values)]
	}
	c.template = http.Request{
		Method: h.method, URL: &r.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: c.header,
		Body: http.NoBody, ContentLength: h.length, Host: h.host, RemoteAddr: c.remote, RequestURI: h.target,
	}
	if h.length > 0 {
		r.body.Reset(content)
		c.template.Body = &r.body
	}
	return c.template.WithContext(r)
}
