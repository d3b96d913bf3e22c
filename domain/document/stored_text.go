package document

import "strings"

// quoted reads a text.
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

// skipText passes a text and gives what stands between its quotes.
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
				s.wrong = true
				return "", false
			}
			escaped = true
			i += length
		case c < ' ':
			s.wrong = true
			return "", false
		}
	}
	s.wrong = true
	return "", false
}

// escape is the character that is written after a backslash, and in how many bytes; 0 when it is not written so. What
// has to be escaped is escaped in the shortest way. U+0000 is in no document.
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
