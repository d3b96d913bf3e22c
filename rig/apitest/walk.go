package apitest

import (
	"cmp"
	"strings"
)

// Member returns the text of a row that a path of names leads to.
func Member(path ...string) func(row any) string {
	return func(row any) string { return TextOf(row, path...) }
}

// Members returns the texts of several members of a row, with spaces between them. Names in a path are separated by dots.
func Members(paths ...string) func(row any) string {
	return func(row any) string {
		texts := make([]string, len(paths))
		for i, path := range paths {
			texts[i] = TextOf(row, strings.Split(path, ".")...)
		}
		return strings.Join(texts, " ")
	}
}

// rowsOf returns the rows of a page.
func rowsOf(page Fields) []Fields { return objectsOf(cmp.Or(page["results"], page["events"])) }

// RowsAt returns the rows of a page as text, and the page.
func (s *Site) RowsAt(target string, text func(row any) string) (rows []string, page Fields) {
	s.T.Helper()
	page = s.Object(target)
	return mapped(rowsOf(page), func(row Fields) string { return text(row) }), page
}

// Walk walks a list of version 3 to its end.
func (s *Site) Walk(target string, total int, text func(row any) string) []string {
	s.T.Helper()
	rows := s.keyset(target, nil)
	if len(rows) != total {
		s.T.Fatalf("%s: got %d rows, want %d", target, len(rows), total)
	}
	return mapped(rows, func(row Fields) string { return text(row) })
}
