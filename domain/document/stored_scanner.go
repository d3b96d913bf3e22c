package document

import (
	"strings"

	"strata/domain/document/internal/json5"
)

// storedScanner scans a UTF-8 text that is JSON in the form of [json5.Value.Append]. When it meets anything else, it
// becomes invalid, and its position means nothing.
type storedScanner struct {
	text    string
	at      int // the position of the next byte
	invalid bool
	seen    []string // the member names so far of all objects around the position; see nameSet
}

// is reports whether c is the next byte.
func (s *storedScanner) is(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

// take consumes part if it is next.
func (s *storedScanner) take(part string) bool {
	if !strings.HasPrefix(s.text[s.at:], part) {
		return false
	}
	s.at += len(part)
	return true
}

// want consumes part, which must be next.
func (s *storedScanner) want(part string) {
	if !s.take(part) {
		s.invalid = true
	}
}

// skipValue skips a value in which at most depth arrays and objects are nested.
func (s *storedScanner) skipValue(depth int) {
	if s.at == len(s.text) {
		s.invalid = true
		return
	}
	switch c := s.text[s.at]; c {
	case '"':
		s.skipText()
	case '{', '[':
		if depth == 0 {
			s.invalid = true
			return
		}
		s.at++
		if c == '{' {
			s.skipMembers(depth - 1)
		} else {
			s.skipItems(depth - 1)
		}
	case 'n':
		s.want("null")
	case 't':
		s.want("true")
	case 'f':
		s.want("false")
	default:
		s.skipNumber()
	}
}

func (s *storedScanner) skipItems(depth int) {
	if s.take(`]`) {
		return
	}
	for !s.invalid {
		s.skipValue(depth)
		if s.take(`]`) {
			return
		}
		s.want(`,`)
	}
}

func (s *storedScanner) skipMembers(depth int) {
	if s.take(`}`) {
		return
	}
	names := s.enterObject()
	for !s.invalid {
		s.name(&names)
		s.skipValue(depth)
		if s.take(`}`) {
			break
		}
		s.want(`,`)
	}
	s.leaveObject(names)
}

// skipNumber skips a number that is a finite double, or an integer of any length.
func (s *storedScanner) skipNumber() {
	begin := s.at
	s.take(`-`)
	if !s.take(`0`) {
		s.skipDigits()
	}
	integer := true
	if s.take(`.`) {
		integer = false
		s.skipDigits()
	}
	if s.take(`e`) || s.take(`E`) {
		integer = false
		if !s.take(`+`) {
			s.take(`-`)
		}
		s.skipDigits()
	}
	s.invalid = s.invalid || !integer && !json5.Finite(s.text[begin:s.at])
}

// skipDigits skips one or more digits.
func (s *storedScanner) skipDigits() {
	begin := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	s.invalid = s.invalid || s.at == begin
}
