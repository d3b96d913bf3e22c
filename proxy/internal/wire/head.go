package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Limits of an answer's head.
const (
	fieldsMax  = 128
	interimMax = 8 // answers of status 1xx before the final one
)

// head is the parsed head of an answer.
type head struct {
	status int
	fields []Field
	// length is that of the body; -1 if the body is chunked or ends with the connection.
	length  int64
	chunked bool
	// old means that the answer is HTTP/1.0.
	old bool
	// keep means that the connection can be reused after the body.
	keep bool
	// connectionOptions lists the names in the field Connection: fields that are about the connection.
	connectionOptions []string
}

// readHead reads heads up to that of the final answer. It reuses the memory of fields.
func readHead(r *bufio.Reader, fields []Field) (head, error) {
	for range interimMax {
		h, err := readOneHead(r, fields[:0])
		if err != nil || h.status >= 200 {
			return h, err
		}
		if h.status == 101 {
			return h, malformed("status 101 for a request that asked for no upgrade")
		}
	}
	return head{}, malformed("more than %d interim answers", interimMax)
}

func readOneHead(r *bufio.Reader, fields []Field) (head, error) {
	h := head{fields: fields, length: -1}
	line, err := readLine(r)
	if err != nil {
		return h, err
	}
	if err := h.statusLine(line); err != nil {
		return h, err
	}
	for n := 0; ; n++ {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return h, io.ErrUnexpectedEOF
		}
		if err != nil {
			return h, err
		}
		if len(line) == 0 {
			break
		}
		if n == fieldsMax {
			return h, malformed("more than %d header fields", fieldsMax)
		}
		if err := h.field(line); err != nil {
			return h, err
		}
	}
	return h, h.finish()
}

// readLine returns a line without its line end. The line is valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, malformed("line of more than %d bytes", r.Size())
	}
	if err != nil {
		if len(line) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	line = line[:len(line)-1]
	if len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	return line, nil
}

func (h *head) statusLine(line []byte) error {
	const prefix = "HTTP/1."
	ok := len(line) >= len("HTTP/1.1 200") && string(line[:len(prefix)]) == prefix &&
		(line[7] == '0' || line[7] == '1') && line[8] == ' ' && (len(line) == 12 || line[12] == ' ')
	for _, c := range line[min(9, len(line)):min(12, len(line))] {
		ok = ok && '0' <= c && c <= '9'
		h.status = h.status*10 + int(c-'0')
	}
	if !ok || h.status < 100 || h.status > 599 {
		return malformed("status line %q", line[:min(len(line), 64)])
	}
	h.old = line[7] == '0'
	h.keep = !h.old
	return nil
}

func (h *head) field(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || !validName(line[:colon]) {
		return malformed("header field %q", line[:min(len(line), 64)])
	}
	name, value := line[:colon], trim(line[colon+1:])
	if !validValue(value) {
		return malformed("control character in header field %q", name)
	}
	canonical, passes := fieldName(name)
	if passes {
		h.fields = append(h.fields, Field{canonical, h.text(value)})
		return nil
	}
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		return h.contentLength(value)
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if h.chunked || !bytes.EqualFold(value, []byte("chunked")) {
			return malformed("transfer encoding %q", value)
		}
		h.chunked = true
	case bytes.EqualFold(name, []byte("Connection")):
		if string(value) != "keep-alive" { // it nearly always is
			h.connection(string(value))
		}
	}
	return nil
}

// text returns a value as a string. It reuses the string of the previous answer, which mostly had the same value in the
// same place.
func (h *head) text(value []byte) string {
	if n := len(h.fields); n < cap(h.fields) {
		if before := h.fields[:n+1][n].Value; before == string(value) {
			return before
		}
	}
	return fieldValue(value)
}

func (h *head) contentLength(value []byte) error {
	length := int64(0)
	for _, c := range value {
		if c < '0' || c > '9' || length > 1<<56 {
			return malformed("content length %q", value)
		}
		length = length*10 + int64(c-'0')
	}
	if len(value) == 0 || h.length >= 0 && h.length != length {
		return malformed("content lengths %d and %q", h.length, value)
	}
	h.length = length
	return nil
}

func (h *head) connection(value string) {
	for option := range strings.SplitSeq(value, ",") {
		switch option = strings.TrimSpace(option); {
		case strings.EqualFold(option, "close"):
			h.keep = false
		case strings.EqualFold(option, "keep-alive"):
		case option != "":
			h.connectionOptions = append(h.connectionOptions, option)
		}
	}
}

// finish decides where the body ends (RFC 9112 6.3), and drops the fields that are named in Connection.
func (h *head) finish() error {
	switch {
	case h.chunked && h.length >= 0:
		return malformed("content length %d and a transfer encoding", h.length)
	case h.chunked && h.old:
		return malformed("transfer encoding in HTTP/1.0")
	}
	if h.status < 200 || h.status == 204 || h.status == 304 {
		h.length, h.chunked = 0, false
	}
	if h.length < 0 && !h.chunked {
		h.keep = false
	}
	for _, name := range h.connectionOptions {
		kept := h.fields[:0]
		for _, f := range h.fields {
			if !strings.EqualFold(f.Name, name) {
				kept = append(kept, f)
			}
		}
		h.fields = kept
	}
	return nil
}
