package strata

import (
	"bytes"
	"container/list"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// positionHeader names the position in the log that an answer reflects, and in a request the least that it may reflect.
const positionHeader = "Strata-Position"

// What a Session keeps of answers.
const (
	answersKept = 256
	answerMax   = 1 << 20 // bytes
)

// Session sends requests, and remembers answers: it asks with the ETag of the last answer, so that the server sends a
// body only when it has changed. It is for WithHTTPClient, and safe for concurrent use.
type Session struct {
	doer HttpRequestDoer

	mu       sync.Mutex
	position string
	answers  map[string]*list.Element // of *cachedAnswer, by URL
	order    list.List                // the one that was used last is at the front
}

type cachedAnswer struct {
	url, tag string
	header   http.Header
	body     []byte
}

// NewSession returns a session that sends requests with doer; nil for http.DefaultClient.
func NewSession(doer HttpRequestDoer) *Session {
	if doer == nil {
		doer = http.DefaultClient
	}
	return &Session{doer: doer, answers: map[string]*list.Element{}}
}

// Reflect lets every later answer from the tables reflect at least a position: the Strata-Position of another answer, or
// of an event of a stream. A position that is no later than the one before changes nothing.
func (s *Session) Reflect(position string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if logPosition(position) > logPosition(s.position) {
		s.position = position
	}
}

// Do implements HttpRequestDoer.
func (s *Session) Do(request *http.Request) (*http.Response, error) {
	url := request.URL.String()
	request = request.Clone(request.Context())
	known := s.prepare(url, request)
	answer, err := s.doer.Do(request)
	if err != nil {
		return nil, err
	}
	switch {
	case known != nil && answer.StatusCode == http.StatusNotModified:
		_ = answer.Body.Close()
		header := known.header.Clone()
		for name, values := range answer.Header {
			header[name] = values
		}
		answer.StatusCode, answer.Status, answer.Header = http.StatusOK, "200 OK", header
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(known.body)), int64(len(known.body))
	case answer.StatusCode == http.StatusOK && request.Method == http.MethodGet && strings.HasPrefix(answer.Header.Get("ETag"), `"`):
		return answer, s.keep(url, answer)
	}
	return answer, nil
}

// prepare adds to a request what is known, and returns the answer that is kept for its URL; nil for none.
func (s *Session) prepare(url string, request *http.Request) *cachedAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.position != "" && request.Header.Get(positionHeader) == "" {
		request.Header.Set(positionHeader, s.position)
	}
	element := s.answers[url]
	if request.Method != http.MethodGet || element == nil || request.Header.Get("If-None-Match") != "" {
		return nil
	}
	s.order.MoveToFront(element)
	known := element.Value.(*cachedAnswer)
	request.Header.Set("If-None-Match", known.tag)
	return known
}

// keep reads the body of an answer, and keeps it unless it is large.
func (s *Session) keep(url string, answer *http.Response) error {
	start, err := io.ReadAll(io.LimitReader(answer.Body, answerMax+1))
	if err != nil {
		_ = answer.Body.Close()
		return err
	}
	if len(start) > answerMax {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(start), answer.Body), answer.Body}
		return nil
	}
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(start))
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.answers[url]; old != nil {
		s.order.Remove(old)
	}
	s.answers[url] = s.order.PushFront(&cachedAnswer{url: url, tag: answer.Header.Get("ETag"), header: answer.Header.Clone(), body: start})
	if s.order.Len() > answersKept {
		last := s.order.Back()
		s.order.Remove(last)
		delete(s.answers, last.Value.(*cachedAnswer).url)
	}
	return nil
}

// logPosition returns the number of events in a position; -1 when it has none.
func logPosition(position string) int64 {
	text, _, _ := strings.Cut(strings.TrimPrefix(position, "log="), ";")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
