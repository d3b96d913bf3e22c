package apitest

import "strings"

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
