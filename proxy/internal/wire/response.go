package wire

import (
	"context"
	"io"
	"net/http/httputil"
	"time"
)

// Response is a node's answer whose head has been read. Neither it nor its fields may be used after Close.
type Response struct {
	Status int
	// Fields has the header fields, without those about the connection.
	Fields []Field
	// Length is that of the body in bytes; -1 if the node didn't state it.
	Length int64

	client *Client
	conn   *conn
	first  bool // no byte has been read yet
	keep   bool
	left   int64     // bytes left of a body of known length
	chunks io.Reader // set for a chunked body
	ended  bool      // the body has been read to its end
	closed bool
}

func (r *Response) begin(h head) {
	r.Status, r.Fields, r.Length = h.status, h.fields, h.length
	r.keep, r.left = h.keep, h.length
	r.ended = h.length == 0
	if h.chunked {
		r.chunks = httputil.NewChunkedReader(r.conn.reader)
	}
}

// Value returns the value of the first field with this name; empty if there is none.
func (r *Response) Value(name string) string {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Extend moves the deadline of the following reads to timeout from now.
func (r *Response) Extend(timeout time.Duration) { r.conn.setDeadline(time.Now().Add(timeout)) }

// Watch makes the rest of the exchange end with ctx instead of the context that it began with.
func (r *Response) Watch(ctx context.Context) {
	if r.conn.cancelled.Stop() {
		r.conn.cancelled.Watch(ctx, r.conn.abandon)
	}
}

// Read reads from the body. It returns io.EOF only at the end of a complete body, and an *Error if the body was cut
// short.
func (r *Response) Read(p []byte) (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	n, err := r.read(p)
	switch {
	case err == io.EOF: //nolint:errorlint // read returns it as it is
		r.ended = true
		return n, io.EOF
	case err != nil:
		r.keep = false
		return n, &Error{Stage: StageBody, Node: r.client.address, Err: err}
	}
	return n, nil
}

func (r *Response) read(p []byte) (int, error) {
	switch {
	case r.chunks != nil:
		n, err := r.chunks.Read(p)
		if err == io.EOF {
			if trailer := r.readTrailer(); trailer != nil {
				return n, trailer
			}
		}
		return n, err
	case r.left < 0: // until the connection ends
		return r.conn.reader.Read(p)
	}
	n, err := r.conn.reader.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	switch {
	case r.left == 0:
		return n, io.EOF
	case err == io.EOF:
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// readTrailer skips the trailer after the last chunk: header fields, which the proxy ignores, and an empty line.
func (r *Response) readTrailer() error {
	for range fieldsMax {
		line, err := readLine(r.conn.reader)
		if err == io.EOF { //nolint:errorlint // readLine returns it as it is
			return io.ErrUnexpectedEOF
		}
		if err != nil || len(line) == 0 {
			return err
		}
	}
	return malformed("trailer of more than %d fields", fieldsMax)
}

// ReadMax appends the body to b, until b has most bytes. whole means that it reached the end of the body.
func (r *Response) ReadMax(b []byte, most int) (body []byte, whole bool, err error) {
	if need := len(b) + int(min(max(r.Length, 512), int64(most))); cap(b) < need {
		b = append(make([]byte, 0, need), b...)
	}
	for {
		if r.ended {
			return b, true, nil
		}
		if len(b) >= most {
			return b, false, nil
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):min(cap(b), most)])
		b = b[:len(b)+n]
		if err != nil && err != io.EOF { //nolint:errorlint // Read returns it as it is
			return b, false, err
		}
	}
}

// Close ends the exchange. The client keeps the connection if the body was read to its end. Close may be called twice,
// but not after the connection may have begun another exchange.
func (r *Response) Close() {
	if r.closed {
		return
	}
	r.closed = true
	// Bytes after the end of an answer would be taken for the beginning of the next.
	if r.conn.cancelled.Stop() && r.ended && r.keep && r.conn.reader.Buffered() == 0 {
		r.client.putBack(r.conn)
		return
	}
	_ = r.conn.Close()
}
