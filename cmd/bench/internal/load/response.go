package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Responses reads answers from a connection, one after the other, without allocating.
type Responses struct {
	from   io.Reader
	buffer []byte
}

// NewResponses returns a reader of answers whose header fits into 64 KiB.
func NewResponses(from io.Reader) *Responses {
	return &Responses{from: from, buffer: make([]byte, 64<<10)}
}

var (
	endOfHeader   = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")

	errNoLength = errors.New("the answer has no valid Content-Length")
	errTooMuch  = errors.New("the answer is longer than its Content-Length")
)

// Next reads an answer to its end, and returns its status and the length of its body, which it discards.
func (r *Responses) Next() (status, length int, err error) {
	have, end := 0, -1
	for end < 0 {
		if have == len(r.buffer) {
			return 0, 0, fmt.Errorf("the answer's header is longer than %d bytes", len(r.buffer))
		}
		n, err := r.from.Read(r.buffer[have:])
		if err != nil {
			return 0, 0, err
		}
		from := max(have-len(endOfHeader)+1, 0)
		have += n
		if i := bytes.Index(r.buffer[from:have], endOfHeader); i >= 0 {
			end = from + i
		}
	}
	head := r.buffer[:end+2]
	if len(head) < len("HTTP/1.1 200") || string(head[:len("HTTP/1.1 ")]) != "HTTP/1.1 " {
		return 0, 0, fmt.Errorf("not an HTTP/1.1 answer: %.20q", head)
	}
	status, _ = number(head[len("HTTP/1.1 "):])
	if i := bytes.Index(head, contentLength); i >= 0 {
		var ok bool
		if length, ok = number(head[i+len(contentLength):]); !ok {
			return 0, 0, errNoLength
		}
	} else if status != 204 && status != 304 {
		return 0, 0, errNoLength
	}
	for left := end + len(endOfHeader) + length - have; left != 0; {
		if left < 0 {
			return 0, 0, errTooMuch
		}
		n, err := r.from.Read(r.buffer[:min(left, len(r.buffer))])
		if err != nil {
			return 0, 0, err
		}
		left -= n
	}
	return status, length, nil
}

// number parses the decimal digits at the beginning of b, at most nine.
func number(b []byte) (n int, ok bool) {
	for i := 0; i < len(b) && '0' <= b[i] && b[i] <= '9'; i++ {
		if i == 9 {
			return 0, false
		}
		n, ok = 10*n+int(b[i]-'0'), true
	}
	return n, ok
}
