// Package memo shows the 34-byte memo of a token transfer as text. A memo is any bytes, usually UTF-8 padded with
// zeros; there are two readings of it, both of existing APIs.
package memo

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"strata/domain/lossy"

	"github.com/rivo/uniseg"
)

// Display returns the memo as one tidy line: ill-formed UTF-8, characters that do not print and white space become
// single blanks, none of them at the ends. Characters that print only together with others, as in flags and families
// of emoji, are kept.
func Display(b []byte) string {
	var line strings.Builder
	blank := false // a blank is due before the next character
	write := func(r rune) {
		if r == utf8.RuneError || unicode.IsSpace(r) {
			blank = true
			return
		}
		if blank && line.Len() > 0 {
			line.WriteByte(' ')
		}
		blank = false
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

// Rosetta returns the memo without its trailing zero bytes, otherwise as it is, ill-formed UTF-8 replaced by U+FFFD;
// false when nothing is left.
func Rosetta(b []byte) (string, bool) {
	b = bytes.TrimRight(b, "\x00")
	return lossy.String(b), len(b) > 0
}
