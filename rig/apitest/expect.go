package apitest

import (
	"net/http"
	"strings"
)

// Answers are the answers that requests have.
type Answers = []struct {
	Target string
	Status int
	Body   string // empty: any
}

// ExpectAnswers expects the answers that requests have, and returns them.
func (s *Site) ExpectAnswers(answers Answers) (replies []Reply) {
	s.T.Helper()
	for _, want := range answers {
		got := s.Get(want.Target)
		if got.Status != want.Status || want.Body != "" && got.Body != want.Body {
			s.T.Errorf("GET %s\n got %d %s\nwant %d %s", want.Target, got.Status, got.Body, want.Status, want.Body)
		}
		replies = append(replies, got)
	}
	return replies
}

// ExpectTexts expects an answer with a status and, in its body, some texts.
func (s *Site) ExpectTexts(target string, status int, texts ...string) {
	s.T.Helper()
	got := s.Get(target)
	if got.Status != status {
		s.T.Errorf("%s: got %d %s, want %d", target, got.Status, got.Body, status)
	}
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			s.T.Errorf("%s: got %s, want %s in it", target, got.Body, text)
		}
	}
}

// Decode decodes the body of an answer with status 200.
func (s *Site) Decode(target string, into any) {
	s.T.Helper()
	got := s.Get(target)
	if got.Status != http.StatusOK {
		s.T.Fatalf("%s: got %d %s", target, got.Status, got.Body)
	}
	DecodeJSON(s.T, got.Body, into)
}
