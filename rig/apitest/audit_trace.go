package apitest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// traceOf is a trace as clients read it.
type TraceOf struct {
	Path      string
	Operation string
	Status    int
	ReadAt    Fields `json:"read_at"`
	Limit     int
	Cursor    struct{ Next, Current *string }
	Rows      []RowOf
	Events    []Fields
}

type RowOf struct {
	Table   string
	Version int
	Key     Fields
	Values  Fields
	Sources []struct {
		Column   string
		Seq      int64
		Pointers []string
	}
}

// column is a column of the row as text, of its key or its values.
func (r RowOf) Column(name string) string {
	value, ok := r.Key[name]
	if !ok {
		value = r.Values[name]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// in are the rows of a table, whatever its version.
func (t TraceOf) In(table string) (rows []RowOf) {
	projection, name, _ := strings.Cut(table, ".")
	for _, r := range t.Rows {
		if r.Table == fmt.Sprintf("%s_v%d.%s", projection, r.Version, name) {
			rows = append(rows, r)
		}
	}
	return rows
}

func DecodeJSON(t testing.TB, text string, value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func TracePath(path string, others ...string) string {
	return "/audit/v1/trace?path=" + url.QueryEscape(path) + strings.Join(others, "")
}

// tracePage is a page of a trace. It checks what has to be so for each: that the answer was made as it is made otherwise,
// and that each event behind a row is told.
func (s *Site) TracePage(path string, others ...string) (traced TraceOf) {
	s.T.Helper()
	got := s.Get(TracePath(path, others...))
	if got.Status != 200 {
		s.T.Fatalf("trace of %s: got %d %s\n%s", path, got.Status, got.Body, s.Log)
	}
	DecodeJSON(s.T, got.Body, &traced)
	answer := s.Get(path)
	if traced.Path != path || traced.Status != answer.Status {
		s.T.Errorf("trace of %s: got %s, %d; want status %d", path, traced.Path, traced.Status, answer.Status)
	}
	if position := answer.Header.Get("Strata-Position"); !strings.HasPrefix(position+";", fmt.Sprintf("log=%v;", traced.ReadAt["log"])) {
		s.T.Errorf("trace of %s: got %v, want %s", path, traced.ReadAt, position)
	}
	told, named := map[int64]bool{}, map[int64]bool{}
	for _, e := range traced.Events {
		seq, _ := e["seq"].(json.Number).Int64()
		told[seq] = true
		event, proof := fmt.Sprintf("/audit/v1/events/%d", seq), fmt.Sprintf("/audit/v1/log/proofs/inclusion?seq=%d", seq)
		if e["event"] != event || e["body"] != event+"/body" || e["proof"] != proof {
			s.T.Errorf("trace of %s: got the links %v of event %d", path, e, seq)
		}
		var itself Fields
		DecodeJSON(s.T, s.Get(event).Body, &itself)
		for _, member := range []string{"path", "received_at", "size", "sha256", "content_type"} {
			if e[member] != itself[member] {
				s.T.Errorf("trace of %s: event %d: got %s %v, want %v", path, seq, member, e[member], itself[member])
			}
		}
	}
	for _, r := range traced.Rows {
		if len(r.Sources) == 0 {
			s.T.Errorf("trace of %s: no source of %v", path, r)
		}
		for _, source := range r.Sources {
			named[source.Seq] = true
			if !told[source.Seq] {
				s.T.Errorf("trace of %s: event %d of %s is not told", path, source.Seq, r.Table)
			}
		}
	}
	if len(told) != len(named) {
		s.T.Errorf("trace of %s: got %d events, want %d", path, len(told), len(named))
	}
	return traced
}

// trace is a whole trace, read in pages of a few rows, which must be what a single page has.
func (s *Site) Trace(path string, limit int) TraceOf {
	s.T.Helper()
	all := s.TracePage(path, "&limit="+strconv.Itoa(limit))
	for next := all.Cursor.Next; next != nil; {
		page := s.TracePage(path, "&limit="+strconv.Itoa(limit), "&cursor="+url.QueryEscape(*next))
		if len(page.Rows) == 0 || len(page.Rows) > limit || page.Cursor.Current == nil || *page.Cursor.Current != *next {
			s.T.Fatalf("trace of %s: got %d rows after %s", path, len(page.Rows), *next)
		}
		all.Rows, all.Events = append(all.Rows, page.Rows...), append(all.Events, page.Events...)
		next = page.Cursor.Next
	}
	if whole := s.TracePage(path, "&limit=200"); whole.Cursor.Next == nil && AsJSON(s.T, whole.Rows) != AsJSON(s.T, all.Rows) {
		s.T.Errorf("trace of %s: got\n%s\nin pages, and\n%s\nat once", path, AsJSON(s.T, all.Rows), AsJSON(s.T, whole.Rows))
	}
	seen := map[string]bool{}
	for _, r := range all.Rows {
		name := r.Table + AsJSON(s.T, r.Key)
		if seen[name] {
			s.T.Errorf("trace of %s: %s comes twice", path, name)
		}
		seen[name] = true
	}
	return all
}

// Pointed is what the body of an event has at a JSON pointer, byte for byte.
func (s *Site) Pointed(seq int64, pointer string) string {
	s.T.Helper()
	got := s.Get(fmt.Sprintf("/audit/v1/events/%d/body", seq))
	if got.Status != 200 {
		s.T.Fatalf("body of event %d: got %d %s", seq, got.Status, got.Body)
	}
	value := json.RawMessage(got.Body)
	for _, part := range strings.Split(pointer, "/")[1:] {
		var object map[string]json.RawMessage
		var array []json.RawMessage
		if json.Unmarshal(value, &object) == nil {
			value = object[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
		} else if n, err := strconv.Atoi(part); err == nil && json.Unmarshal(value, &array) == nil && n < len(array) {
			value = array[n]
		} else {
			value = nil
		}
		if value == nil {
			s.T.Fatalf("event %d has nothing at %s", seq, pointer)
		}
	}
	return string(value)
}

// facts are what the events behind a column of a row have at the pointers.
func (s *Site) Facts(r RowOf, column string) (facts []any) {
	s.T.Helper()
	for _, source := range r.Sources {
		if source.Column == column {
			for _, pointer := range source.Pointers {
				var fact any
				DecodeJSON(s.T, s.Pointed(source.Seq, pointer), &fact)
				facts = append(facts, fact)
			}
		}
	}
	if len(facts) == 0 {
		s.T.Fatalf("%s of %s %v has no facts: %v", column, r.Table, r.Key, r.Sources)
	}
	return facts
}

// fact is the only one of them, an object.
func (s *Site) Fact(r RowOf, column string) Fields {
	s.T.Helper()
	facts := s.Facts(r, column)
	object, ok := facts[0].(Fields)
	if len(facts) != 1 || !ok {
		s.T.Fatalf("%s of %s %v: got %v, want one object", column, r.Table, r.Key, facts)
	}
	return object
}

// one is the only row of a table.
func (s *Site) One(t TraceOf, table string) RowOf {
	s.T.Helper()
	rows := t.In(table)
	if len(rows) != 1 {
		s.T.Fatalf("trace of %s: got %d rows of %s, want 1: %v", t.Path, len(rows), table, t.Rows)
	}
	return rows[0]
}
