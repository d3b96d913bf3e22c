package apitest

import (
	"encoding/json"
	"net/http"
)

func (s *Site) Object(target string) map[string]any {
	s.T.Helper()
	got := s.Get(target)
	var object map[string]any
	if err := json.Unmarshal([]byte(got.Body), &object); err != nil || got.Status != http.StatusOK {
		s.T.Fatalf("%s: got %d %s (%v)", target, got.Status, got.Body, err)
	}
	return object
}
