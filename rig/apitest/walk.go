package apitest

import "strings"

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

// RowsAt returns the rows of a page as text, and the page.
func (s *Site) RowsAt(target string, text func(row any) string) (rows []string, page map[string]any) {
	s.T.Helper()
	page = s.Object(target)
	results, _ := page["results"].([]any)
	if results == nil {
		results, _ = page["events"].([]any)
	}
	for _, row := range results {
		rows = append(rows, text(row))
	}
	return rows, page
}

// Walk walks a list of version 3 to its end, and checks totals and that its cursors lead back.
func (s *Site) Walk(target string, total int, text func(row any) string) (rows []string) {
	s.T.Helper()
	previous, asked := any(nil), ""
	for at := target; at != ""; {
		found, page := s.RowsAt(at, text)
		cursor := page["cursor"].(map[string]any)
		if cursor["previous"] != previous || asked != "" && cursor["current"] != asked || page["total"] != float64(total) {
			s.T.Fatalf("%s: got cursor %v of %v, want previous %v of %d", at, cursor, page["total"], previous, total)
		}
		rows, previous, at = append(rows, found...), cursor["current"], ""
		if asked, _ = cursor["next"].(string); asked != "" {
			at = target + "&cursor=" + asked
		}
	}
	return rows
}
