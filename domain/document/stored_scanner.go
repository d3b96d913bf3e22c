package document

import (
	"strings"

	"strata/domain/document/internal/json5"
)

// storedScanner stands somewhere in a text, which is UTF-8, and passes parts of it that are JSON in the form of
// [json5.Value.Append]. Once it has met anything else it is wrong, and where it stands means nothing.
type storedScanner struct {
	text  string
	at    int
	wrong bool
	seen  []string // names of the objects that it stands in, see names
}

// is says whether a byte is next.
func (s *storedScanner) is(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

// take passes a part if it is next.
func (s *storedScanner) take(part string) bool {
	if !strings.HasPrefix(s.text[s.at:], part) {
		return false
	}
	s.at += len(part)
	return true
}

// want passes a part that has to be next.
func (s *storedScanner) want(part string) {
	if !s.take(part) {
		s.wrong = true
	}
}

// skipValue passes a value in which no more than so many arrays and objects are nested.
func (s *storedScanner) skipValue(depth int) {
	if s.at == len(s.text) {
		s.wrong = true
		return
	}
	switch c := s.text[s.at]; c {
	case '"':
		s.skipText()
	case '{', '[':
		if depth == 0 {
			s.wrong = true
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
	for !s.wrong {
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
	names := s.names()
	for !s.wrong {
		s.name(&names)
		s.skipValue(depth)
		if s.take(`}`) {
			break
		}
		s.want(`,`)
	}
	s.forget(names)
}

// skipNumber passes a number that is a finite double, or an integer of any length.
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
	s.wrong = s.wrong || !integer && !json5.Finite(s.text[begin:s.at])
}

// skipDigits passes at least one digit.
func (s *storedScanner) skipDigits() {
	begin := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	s.wrong = s.wrong || s.at == begin
}
