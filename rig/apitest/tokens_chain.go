package apitest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// happening is an event of a canonical block, in the order of execution.
type happening struct {
	event          Fields
	txid           string
	height, number int // number: among the events of its transaction
}

// data is what an event says of itself.
func (e happening) data() map[string]any {
	data, _ := e.event[fmt.Sprint(e.event["type"])].(map[string]any)
	return data
}

// walk reads all of a list whose pages have a cursor to the next.
func (s *Site) walk(path string, limit int) (results []Fields, total any) {
	s.T.Helper()
	target := limited(path, limit)
	for next := target; ; {
		page := s.Object(next)
		total = page["total"]
		results = append(results, objectsOf(page["results"])...)
		cursor := page["cursor"].(map[string]any)["next"]
		if cursor == nil {
			return results, total
		}
		next = target + "&cursor=" + url.QueryEscape(fmt.Sprint(cursor))
	}
}

// limited is the path of a list with a limit.
func limited(path string, limit int) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return fmt.Sprintf("%s%slimit=%d", path, separator, limit)
}

// refuses checks that an answer has a status, and a text in it.
func (s *Site) refuses(target string, status int, text string) {
	s.T.Helper()
	if got := s.Get(target); got.Status != status || !strings.Contains(got.Body, text) {
		s.T.Errorf("%s: got %d %s, want %d %s", target, got.Status, got.Body, status, text)
	}
}

// traces checks how many rows of some tables the trace of a path has.
func (s *Site) traces(path string, rows map[string]int) {
	s.T.Helper()
	traced := s.Trace(path, 200)
	for table, n := range rows {
		if got := len(traced.In(table)); got != n {
			s.T.Errorf("trace of %s: got %d rows of %s, want %d: %v", path, got, table, n, traced.Rows)
		}
	}
}

// same compares the texts of a list.
func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %d %q, want %d %q", what, len(got), got, len(want), want)
	}
}

func objectsOf(list any) (objects []Fields) {
	for _, one := range list.([]any) {
		objects = append(objects, one.(map[string]any))
	}
	return objects
}
