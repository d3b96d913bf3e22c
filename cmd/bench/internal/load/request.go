package load

import (
	"bytes"
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
	all []preparedRequest
	// before and after stand around the number of a request that is like no other; all is empty then.
	before, after []byte
	next          atomic.Int64
}

// Distinct returns requests without end, whose targets differ in a number of ten digits between two texts.
func Distinct(before, after string) *Requests {
	return &Requests{before: []byte("GET " + before), after: []byte(after + " HTTP/1.1\r\nHost: strata\r\n\r\n")}
}

// Numbered returns n requests; target returns the target of request i.
func Numbered(n int, target func(i int) string) *Requests {
	list := &Requests{}
	for i := range n {
		list.Add(target(i), http.Header{}, http.StatusOK, -1)
	}
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

// Pick returns a number below n, without a visible order.
func Pick(i, n int) int { return int(uint64(i) * 2_654_435_761 % uint64(n)) }

// take returns the next request, for which it may use a buffer.
func (l *Requests) take(buffer *[]byte) *preparedRequest {
	n := l.next.Add(1) - 1
	if len(l.all) == 0 {
		b := append((*buffer)[:0], l.before...)
		for part := int64(1e9); part > 0; part /= 10 {
			b = append(b, '0'+byte(n/part%10))
		}
		*buffer = append(b, l.after...)
		return &preparedRequest{*buffer, http.StatusOK, -1}
	}
	return &l.all[int(n)%len(l.all)]
}
