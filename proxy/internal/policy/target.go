package policy

import "strings"

// PinnedTip returns the block id that a query pins the state to with tip=, in lower case; empty if there is none or it
// is not 64 hex digits, which a node takes for no tip at all. A query that names tip twice, or that would have to be
// decoded to know, pins nothing.
func PinnedTip(query string) string {
	if strings.ContainsAny(query, "%+;") {
		return ""
	}
	tip, found := "", false
	for len(query) > 0 {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		value, is := strings.CutPrefix(pair, "tip=")
		if !is {
			continue
		}
		if found || !IsHash(value) {
			return ""
		}
		tip, found = value, true
	}
	return strings.ToLower(tip)
}

// IsHash says whether s is 64 hex digits.
func IsHash(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Last is the last segment of a path.
func Last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
