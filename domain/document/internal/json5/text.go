package json5

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// name reads the name of a member: a text, or an ECMAScript 5.1 identifier without quotes.
func (r *reader) name() (string, error) {
	if c := r.peek(); c == '"' || c == '\'' {
		return r.quoted()
	}
	var name strings.Builder
	for r.at < len(r.text) {
		begin := r.at
		c, size := utf8.DecodeRuneInString(r.text[r.at:])
		r.at += size
		if c == '\\' {
			if !r.take("u") {
				return "", r.unexpected(`"u" after the "\" in a name`)
			}
			unit, err := r.hex(4)
			if err != nil {
				return "", err
			}
			c = rune(unit)
		}
		if !isIdentifier(c, name.Len() == 0) {
			r.at = begin
			break
		}
		name.WriteRune(c)
	}
	if name.Len() == 0 {
		return "", r.unexpected("a name")
	}
	return name.String(), nil
}

func isIdentifier(c rune, first bool) bool {
	switch {
	case c == '$' || c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c):
		return true
	case first:
		return false
	}
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	return c == zeroWidthNonJoiner || c == zeroWidthJoiner || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}

// quoted reads a text in single or double quotes. It leaves out U+0000 and lone surrogates.
func (r *reader) quoted() (string, error) {
	begin := r.at
	quote := r.peek()
	r.at++
	var s strings.Builder
	var high rune // the surrogate before the current character
	write := func(c rune) {
		switch {
		case high != 0 && utf16.IsSurrogate(c) && utf16.DecodeRune(high, c) != utf8.RuneError:
			s.WriteRune(utf16.DecodeRune(high, c))
			high = 0
		case utf16.IsSurrogate(c):
			high = c // a low surrogate cannot begin a pair, so the next character drops it
		default:
			high = 0
			if c != 0 {
				s.WriteRune(c)
			}
		}
	}
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[r.at:])
		switch {
		case c == rune(quote):
			r.at += size
			return s.String(), nil
		case c == '\n' || c == '\r':
			return "", errors.New("a line ends within a text")
		case c != '\\':
			r.at += size
			write(c)
			continue
		}
		r.at += size
		c, continued, err := r.escaped()
		if err != nil {
			return "", err
		}
		if !continued {
			write(c)
		}
	}
	r.at = begin
	return "", errors.New("the text does not end")
}

// escaped reads what follows a backslash in a text: a UTF-16 unit or a character. continued means that it was a line
// end, which adds no character.
func (r *reader) escaped() (c rune, continued bool, err error) {
	if r.take("\r\n") {
		return 0, true, nil
	}
	if r.at == len(r.text) {
		return 0, false, r.unexpected(`a character after "\"`)
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	next, _ := utf8.DecodeRuneInString(r.text[r.at+size:])
	if '1' <= c && c <= '9' || c == '0' && '0' <= next && next <= '9' {
		return 0, false, errors.New(`"\" before a digit`)
	}
	r.at += size
	switch c {
	case '\n', '\r', '\u2028', '\u2029':
		return 0, true, nil
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'v':
		c = '\v'
	case '0':
		c = 0
	case 'x', 'u':
		digits := map[rune]int{'x': 2, 'u': 4}[c]
		unit, err := r.hex(digits)
		return rune(unit), false, err
	}
	return c, false, nil
}

// hex reads the given number of hexadecimal digits.
func (r *reader) hex(digits int) (uint64, error) {
	text := r.text[r.at:min(r.at+digits, len(r.text))]
	unit, err := strconv.ParseUint(text, 16, 16)
	if err != nil || len(text) < digits {
		return 0, fmt.Errorf("want %d hexadecimal digits, got %q", digits, text)
	}
	r.at += digits
	return unit, nil
}
