package policy

import "strings"

// PinnedTip returns the block id in the query parameter tip, in lower case. It returns "" if there is no tip or if the
// value is not 64 hex digits, which a node ignores. It also returns "" if the query names tip twice, or is escaped, so
// that it would have to be decoded first.
func PinnedTip(query string) string {
	if strings.ContainsAny(query, "%+;") {
		return ""
	}
	tip, seen := "", false
	for len(query) > 0 {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		value, ok := strings.CutPrefix(pair, "tip=")
		if !ok {
			continue
		}
		if seen || !IsHash(value) {
			return ""
		}
		tip, seen = value, true
	}
	return strings.ToLower(tip)
}

// IsHash reports whether s consists of 64 hex digits.
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

// LastSegment returns the last segment of a path.
func LastSegment(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
