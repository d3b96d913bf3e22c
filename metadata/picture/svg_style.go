package picture

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// forbiddenCSS loads something without url(), or runs something in browsers of old.
var forbiddenCSS = []string{"@import", "image-set(", "image(", "src(", "expression(", "-moz-binding"}

// css checks a style sheet, or the value of an attribute, any of which may hold url(). It looks at each place where the
// text could begin a reference, also in a comment or a string, rather than to trust that it finds the same tokens as a
// browser.
func (s *svg) css(text string) error {
	text = unescapeCSS(text)
	if err := harmless(text); err != nil {
		return err
	}
	lower := asciiLower(text)
	for _, forbidden := range forbiddenCSS {
		if strings.Contains(lower, forbidden) {
			return fmt.Errorf("it has %q", forbidden)
		}
	}
	for at := 0; ; {
		i := strings.Index(lower[at:], "url(")
		if i < 0 {
			return nil
		}
		at += i + len("url(")
		if err := s.reference(urlOf(text[at:]), true); err != nil {
			return err
		}
	}
}

// urlOf is what stands between the parentheses, of which the first is gone.
func urlOf(text string) string {
	text = strings.TrimLeft(text, xmlSpace+"\f")
	closing := ")"
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		closing, text = text[:1], text[1:]
	}
	value, _, _ := strings.Cut(text, closing)
	return value
}

// unescapeCSS resolves escapes (CSS Syntax Module Level 3, 4.3.7), with which u\72l( is url(.
func unescapeCSS(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		i++
		code, digits := rune(0), 0
		for ; digits < 6 && i < len(text) && hexDigit(text[i]) >= 0; digits++ {
			code = code<<4 | rune(hexDigit(text[i]))
			i++
		}
		switch {
		case digits > 0:
			if !utf8.ValidRune(code) {
				code = utf8.RuneError
			}
			b.WriteRune(code)
			// One white space ends an escape; that of two bytes is one.
			if strings.HasPrefix(text[i:], "\r\n") {
				i += 2
			} else if i < len(text) && strings.IndexByte(xmlSpace+"\f", text[i]) >= 0 {
				i++
			}
		case strings.HasPrefix(text[i:], "\r\n"):
			i += 2 // the line goes on
		case strings.IndexByte("\r\n\f", text[i]) >= 0:
			i++
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}

// hexDigit is the value of a digit, -1 of anything else.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// asciiLower keeps the length, so that places in it are places in the original.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
