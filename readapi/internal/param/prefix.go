package param

import (
	"strings"
	"unicode/utf8"
)

// beyondAll is greater than any text in an index of Postgres, whose rows have at most 2,704 bytes.
var beyondAll = strings.Repeat(string(utf8.MaxRune), 2704/utf8.UTFMax+1)

// AfterPrefix returns the least text that is greater than all texts with a prefix, in the order of bytes (COLLATE "C"). It works
// on characters, since UTF-8 sorts by bytes as it does by characters.
func AfterPrefix(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if last++; last == 0xd800 { // skip the surrogates, which are not characters
			last = 0xe000
		}
		if last <= utf8.MaxRune {
			return prefix + string(last)
		}
	}
	return beyondAll
}
