package document

import "strings"

// quoted reads a text in quotes.
func (s *storedScanner) quoted() string {
	written, escaped := s.skipText()
	if !escaped {
		return written
	}
	var text strings.Builder
	text.Grow(len(written))
	for {
		before, rest, found := strings.Cut(written, `\`)
		text.WriteString(before)
		if !found {
			return text.String()
		}
		c, length := escape(rest)
		text.WriteByte(c)
		written = rest[length:]
	}
}

// skipText skips a text and returns what is between its quotes.
func (s *storedScanner) skipText() (written string, escaped bool) {
	s.want(`"`)
	begin := s.at
	for i := begin; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.text[begin:i], escaped
		case c == '\\':
			_, length := escape(s.text[i+1:])
			if length == 0 {
				s.invalid = true
				return "", false
			}
			escaped = true
			i += length
		case c < ' ':
			s.invalid = true
			return "", false
		}
	}
	s.invalid = true
	return "", false
}

// escape returns the character that the bytes after a backslash stand for, and the number of these bytes; 0 if Append
// does not write such an escape. Append uses the shortest escape, and only where one is necessary. No document has
// U+0000.
func escape(written string) (c byte, length int) {
	if written == "" {
		return 0, 0
	}
	switch written[0] {
	case '"', '\\':
		return written[0], 1
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	}
	digits, found := strings.CutPrefix(written, "u00")
	if !found || len(digits) < 2 || digits[0] != '0' && digits[0] != '1' {
		return 0, 0
	}
	low := strings.IndexByte("0123456789abcdef", digits[1])
	c = (digits[0]-'0')<<4 | byte(low)
	if low < 0 || c == 0 || strings.IndexByte("\b\f\n\r\t", c) >= 0 {
		return 0, 0
	}
	return c, len("u0000")
}
