package answer

import "strings"

// names says if a list of entity tags, as in If-None-Match, has one that stands for the content with the entity tag
// own, or * for any content. The comparison is the weak one (RFC 9110 section 8.8.3.2), and an entity tag of any coding
// is as good as another. Tags without quotes are not in the grammar; the APIs whose paths we serve take them, so some
// clients send them. own may be empty: then only * matches.
func names(lines []string, own string) bool {
	for _, line := range lines {
		for line != "" {
			var opaque string
			var quoted, weak bool
			opaque, quoted, weak, line = nextTag(line)
			if opaque == "*" && !quoted && !weak || own != "" && sameContent(opaque, own) {
				return true
			}
		}
	}
	return false
}

// nextTag takes the first entity tag off a list. The opaque part is empty when there is none. A quoted one may have
// commas in it, and there is no way to escape a quote.
func nextTag(list string) (opaque string, quoted, weak bool, rest string) {
	list = strings.TrimLeft(list, " \t,")
	if strings.HasPrefix(list, "W/") {
		list, weak = list[len("W/"):], true
	}
	if !strings.HasPrefix(list, `"`) {
		opaque, rest, _ = strings.Cut(list, ",")
		return strings.TrimRight(opaque, " \t"), false, weak, rest
	}
	opaque, rest, closed := strings.Cut(list[1:], `"`)
	if !closed {
		return "", true, weak, ""
	}
	_, rest, _ = strings.Cut(rest, ",") // nothing should stand between the quote and the comma
	return opaque, true, weak, rest
}

// sameContent compares the opaque part of a client's tag with the entity tag of the answer as it is, which is in
// quotes.
func sameContent(opaque, own string) bool {
	if len(opaque) < tagDigits || opaque[:tagDigits] != own[1:1+tagDigits] {
		return false
	}
	for _, suffix := range tagSuffixes {
		if opaque[tagDigits:] == suffix {
			return true
		}
	}
	return false
}
