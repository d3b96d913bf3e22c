package eventstore

import (
	"strings"
	"unicode/utf8"
)

// StorableText is s as Postgres can hold it in a text column: what is not UTF-8, and NUL, become U+FFFD. One such text
// would otherwise fail the whole batch that it shares a transaction with, however often it is sent again. Bodies are
// bytes and are not touched.
func StorableText(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
