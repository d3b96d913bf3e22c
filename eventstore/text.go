package eventstore

import (
	"strings"
	"unicode/utf8"
)

// StorableText returns s in a form that a text column of Postgres can hold: U+FFFD replaces NUL and whatever is not
// UTF-8. Without it, one such text would fail the whole batch that shares its transaction, however often it is sent
// again. Bodies are stored as bytes and need no such change.
func StorableText(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
