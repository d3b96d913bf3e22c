package lean

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"strata/internal/progress"
)

const (
	// heldMax is the longest body without a stated length that is held back until its length is known. net/http has the
	// same limit.
	heldMax = 2 << 10
	// joinMax is the most that is collected for one write.
	joinMax = 16 << 10
	// writeMax is the most that is written at once, and so in one stretch of time that a client has for it.
	writeMax = progress.PieceMax
	// outKept is the most memory for that which is kept between requests.
	outKept = 16 << 10
)

// response is the http.ResponseWriter of all requests of a connection, one after the other.
type response struct {
	conn   *conn
	header http.Header
	// out has the bytes for the next write; held has the beginning of a body without a stated length.
	out, held []byte

	head      bool  // the request is HEAD
	status    int   // 0 until WriteHeader
	length    int64 // as the handler stated it; -1 if it didn't
	written   int64
	sniff     bool // the handler has not set a content type
	framed    bool // the whole head has gone into out
	chunked   bool
	last      bool // the connection ends after this answer
	deadlines bool // the handler has set a deadline
	err       error
}

// begin prepares for the next request.
func (w *response) begin(head bool) {
	clear(w.header)
	out := w.out[:0]
	if cap(out) > outKept {
		out = nil
	}
	*w = response{conn: w.conn, header: w.header, out: out, held: w.held[:0], head: head, length: -1}
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status))
	}
	if w.status != 0 {
		return
	}
	w.appendStatus(status)
	if status < 200 && status != http.StatusSwitchingProtocols {
		w.appendFields()
		w.out = append(w.out, "\r\n"...)
		w.flush()
		return
	}
	w.status = status
	w.length = -1
	if text := w.header.Get("Content-Length"); text != "" && status != http.StatusNotModified && status != http.StatusNoContent {
		if length, err := strconv.ParseUint(strings.TrimSpace(text), 10, 63); err == nil {
			w.length = int64(length)
		}
	}
	_, typed := w.header["Content-Type"]
	w.sniff = !typed && w.header.Get("Content-Encoding") == "" && w.bodyAllowed()
	w.last = w.header.Get("Connection") == "close" || w.conn.server.stopping.Load()
	w.appendFields()
	if _, dated := w.header["Date"]; !dated {
		w.out = append(w.out, *w.conn.server.date.Load()...)
	}
}

// bodyAllowed reports whether an answer of this status may have a body.
func (w *response) bodyAllowed() bool {
	return w.status >= 200 && w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

func (w *response) appendStatus(status int) {
	if status == http.StatusOK {
		w.out = append(w.out, "HTTP/1.1 200 OK\r\n"...)
		return
	}
	w.out = append(w.out, "HTTP/1.1 "...)
	w.out = strconv.AppendInt(w.out, int64(status), 10)
	w.out = append(w.out, ' ')
	if text := http.StatusText(status); text != "" {
		w.out = append(w.out, text...)
	} else {
		w.out = append(w.out, "status code "...)
		w.out = strconv.AppendInt(w.out, int64(status), 10)
	}
	w.out = append(w.out, "\r\n"...)
}

// appendFields appends the fields that the handler has set, except those that say where the body ends.
func (w *response) appendFields() {
	for name, values := range w.header {
		switch name {
		case "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		case "Connection":
			if w.last {
				continue
			}
		case "Content-Type":
			if w.status == http.StatusNotModified {
				continue
			}
		}
		if name == "" || !all(name, inToken) {
			continue
		}
		for _, value := range values {
			w.appendField(name, value)
		}
	}
}

func (w *response) appendField(name, value string) {
	w.out = append(w.out, name...)
	w.out = append(w.out, ": "...)
	from := len(w.out)
	w.out = append(w.out, strings.Trim(value, " \t\r\n")...)
	for i, c := range w.out[from:] {
		if c == '\r' || c == '\n' {
			w.out[from+i] = ' '
		}
	}
	w.out = append(w.out, "\r\n"...)
}

// frame completes the head with the fields that say where the body ends. beginning is the first part of the body, and
// the whole body if whole is true.
func (w *response) frame(beginning []byte, whole bool) {
	w.framed = true
	if w.sniff && len(beginning) > 0 {
		w.appendField("Content-Type", http.DetectContentType(beginning))
	}
	length := w.length
	if length < 0 && whole && w.bodyAllowed() && (!w.head || len(beginning) > 0) {
		length = int64(len(beginning))
	}
	switch {
	case !w.bodyAllowed():
	case length >= 0:
		w.out = append(w.out, "Content-Length: "...)
		w.out = strconv.AppendInt(w.out, length, 10)
		w.out = append(w.out, "\r\n"...)
	case !w.head:
		w.chunked = true
		w.out = append(w.out, "Transfer-Encoding: chunked\r\n"...)
	}
	if w.last {
		w.out = append(w.out, "Connection: close\r\n"...)
	}
	w.out = append(w.out, "\r\n"...)
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case len(p) == 0:
		return 0, w.err
	case !w.bodyAllowed():
		return 0, http.ErrBodyNotAllowed
	case w.length >= 0 && w.written+int64(len(p)) > w.length:
		return 0, http.ErrContentLength
	}
	w.written += int64(len(p))
	switch {
	case w.framed:
	case w.length >= 0:
		w.frame(p, false)
	case len(w.held)+len(p) <= heldMax:
		w.held = append(w.held, p...)
		return len(p), w.err
	case len(w.held) > 0:
		w.frame(w.held, false)
		w.send(w.held)
	default:
		w.frame(p, false)
	}
	w.send(p)
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// WriteString implements io.StringWriter.
func (w *response) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// send adds a piece of the body to the output.
func (w *response) send(p []byte) {
	if w.head || len(p) == 0 {
		return
	}
	if w.chunked {
		w.out = strconv.AppendInt(w.out, int64(len(p)), 16)
		w.out = append(w.out, "\r\n"...)
	}
	if len(w.out)+len(p) <= joinMax {
		w.out = append(w.out, p...)
	} else {
		w.flush(p)
	}
	if w.chunked {
		w.out = append(w.out, "\r\n"...)
	}
}

// flush writes the output and then the pieces. If that fails, the client has left, so flush cancels the request.
func (w *response) flush(pieces ...[]byte) {
	if len(w.out) == 0 && len(pieces) == 0 {
		return
	}
	if w.err == nil {
		if w.err = w.conn.write(w.out, pieces); w.err != nil {
			w.last = true
			w.conn.request.Cancel()
		}
	}
	w.out = w.out[:0]
}

// write writes the beginning of an answer and then the pieces of its body, or a part of both. Whoever does not take a part
// of up to writeMax bytes in time is sent away by check.
func (c *conn) write(beginning []byte, pieces [][]byte) (err error) {
	defer c.pieces.Add(1)
	c.pieces.Add(1)
	switch {
	case len(pieces) == 0:
		_, err = c.net.Write(beginning)
		return err
	case len(pieces) == 1 && len(pieces[0]) <= writeMax:
		all := net.Buffers{beginning, pieces[0]}
		_, err = all.WriteTo(c.net)
		return err
	}
	for _, left := range append([][]byte{beginning}, pieces...) {
		for len(left) > 0 && err == nil {
			var n int
			n, err = c.net.Write(left[:min(len(left), writeMax)])
			left = left[n:]
			c.pieces.Add(2) // the next piece
		}
	}
	return err
}

// finish completes the answer after the handler has returned.
func (w *response) finish() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.framed {
		w.frame(w.held, true)
		w.send(w.held)
	}
	if w.chunked {
		w.out = append(w.out, "0\r\n\r\n"...)
	}
	w.flush()
	if w.length >= 0 && w.written < w.length && !w.head {
		w.last = true // the client would take the next answer for the missing rest
	}
}

// Flush implements http.Flusher.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError sends all that the handler has written. http.ResponseController calls it.
func (w *response) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.framed {
		w.frame(w.held, false)
		w.send(w.held)
	}
	w.flush()
	return w.err
}

// SetReadDeadline is for http.ResponseController. The request has been read already, so the deadline only bounds how
// long its client is watched.
func (w *response) SetReadDeadline(t time.Time) error {
	w.deadlines = true
	return w.conn.net.SetReadDeadline(t)
}

// SetWriteDeadline is for http.ResponseController.
func (w *response) SetWriteDeadline(t time.Time) error {
	w.deadlines = true
	return w.conn.net.SetWriteDeadline(t)
}

// EnableFullDuplex is for http.ResponseController. It has nothing to do, because the request has been read already.
func (w *response) EnableFullDuplex() error { return nil }
