package picture

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// forbiddenCSS lists the CSS that loads something without url(), or runs something in old browsers.
var forbiddenCSS = []string{"@import", "image-set(", "image(", "src(", "expression(", "-moz-binding"}

// checkCSS checks a style sheet, or the value of an attribute, which may also contain url(). It checks every place
// where a reference could begin, even in comments and strings, because its idea of CSS tokens may differ from a
// browser's.
func (s *svgChecker) checkCSS(text string) error {
	text = unescapeCSS(text)
	if err := checkScriptURL(text); err != nil {
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
		if err := s.checkReference(urlOf(text[at:]), placeStyle); err != nil {
			return err
		}
	}
}

// urlOf returns the argument of url(, given the text after the parenthesis.
func urlOf(text string) string {
	text = strings.TrimLeft(text, xmlSpace+"\f")
	closing := ")"
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		closing, text = text[:1], text[1:]
	}
	value, _, _ := strings.Cut(text, closing)
	return value
}

// unescapeCSS resolves escapes (CSS Syntax Module Level 3, 4.3.7). For example, u\72l( means url(.
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
			// An escape includes one white space after it. CR LF counts as one.
			if strings.HasPrefix(text[i:], "\r\n") {
				i += 2
			} else if i < len(text) && strings.IndexByte(xmlSpace+"\f", text[i]) >= 0 {
				i++
			}
		case strings.HasPrefix(text[i:], "\r\n"):
			i += 2 // an escaped line end continues the line
		case strings.IndexByte("\r\n\f", text[i]) >= 0:
			i++
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}

// hexDigit returns the value of a hex digit; -1 for any other byte.
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

// asciiLower returns s with ASCII letters in lower case. The result has the same length, so its indexes are valid in s.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
