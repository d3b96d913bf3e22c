// Package memo renders the 34-byte memo of a token transfer as text. A memo may hold any bytes; usually it is UTF-8
// padded with zero bytes. Existing APIs render it in two ways, Display and Rosetta.
package memo

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/domain/lossy"

	"github.com/rivo/uniseg"
)

// Display returns the memo as one tidy line. Each run of ill-formed UTF-8, unprintable characters and white space
// becomes a single space, and the ends are trimmed. Characters that print only together with others, as in flag and
// family emoji, are kept.
func Display(b []byte) string {
	var line strings.Builder
	spaceDue := false // before the next character
	write := func(r rune) {
		if r == utf8.RuneError || unicode.IsSpace(r) {
			spaceDue = true
			return
		}
		if spaceDue && line.Len() > 0 {
			line.WriteByte(' ')
		}
		spaceDue = false
		line.WriteRune(r)
	}
	text, state := lossy.String(b), -1
	for len(text) > 0 {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		if r, size := utf8.DecodeRuneInString(cluster); size == len(cluster) && !unicode.IsPrint(r) {
			write(' ')
			continue
		}
		for _, r := range cluster {
			write(r)
		}
	}
	return line.String()
}

// Rosetta returns the memo without its trailing zero bytes, and with U+FFFD in place of ill-formed UTF-8. It returns
// false when nothing is left.
func Rosetta(b []byte) (string, bool) {
	b = bytes.TrimRight(b, "\x00")
	return lossy.String(b), len(b) > 0
}
