package load

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
)

// preparedRequest is a request with the expected answer.
type preparedRequest struct {
	request        []byte
	status, length int // status 0 accepts any status, length < 0 any length
}

// Requests is a list of requests, which are handed out one after the other, to all connections. The zero value is
// empty.
type Requests struct {
	all  []preparedRequest
	once bool // hand out none of them twice
	next atomic.Int64
}

// Numbered returns n requests; target returns the target of request i.
func Numbered(n int, target func(i int) string) *Requests {
	list := &Requests{}
	for i := range n {
		list.Add(target(i), http.Header{}, http.StatusOK, -1)
	}
	return list
}

// NumberedOnce is like Numbered, but hands out none of the requests twice.
func NumberedOnce(n int, target func(i int) string) *Requests {
	list := Numbered(n, target)
	list.once = true
	return list
}

// Add adds a GET request, and the status and length that its answer must have; a length < 0 accepts any.
func (l *Requests) Add(target string, header http.Header, status, length int) {
	l.add(http.MethodGet, target, header, "", status, length)
}

// AddPost adds a POST request with a body in JSON, whose answer must have the status 200.
func (l *Requests) AddPost(target, body string) {
	header := http.Header{"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}}
	l.add(http.MethodPost, target, header, body, http.StatusOK, -1)
}

func (l *Requests) add(method, target string, header http.Header, body string, status, length int) {
	var text bytes.Buffer
	_, _ = fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: strata\r\n", method, target)
	_ = header.Write(&text)
	text.WriteString("\r\n" + body)
	l.all = append(l.all, preparedRequest{text.Bytes(), status, length})
}

// AddAny adds a GET request that may have any answer, such as a refusal.
func (l *Requests) AddAny(target string) { l.Add(target, http.Header{}, 0, -1) }

// Scattered returns a permutation of the numbers below n. Consecutive i give numbers that are far apart in an index.
func Scattered(i, n int) int { return i * 7919 % n }

var errNoMoreRequests = errors.New("all requests have been made once")

func (l *Requests) take() (*preparedRequest, error) {
	n := int(l.next.Add(1) - 1)
	if l.once && n >= len(l.all) {
		return nil, errNoMoreRequests
	}
	return &l.all[n%len(l.all)], nil
}
