package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// retain is the maximum size in bytes of a buffer that is reused after a long line.
const retain = 16 << 20

// lineSource cuts a stream, decompressed if it is gzip, into lines of any length.
type lineSource struct {
	raw  io.Reader
	in   *bufio.Reader // nil before the first call of next
	gzip bool
	max  int // maximum length of a line

	long         []byte // buffer for a line longer than the buffer of in
	line         int64  // number of the current line
	start, after int64  // offset of the current line, and of the next
}

func (s *lineSource) open() error {
	if s.in != nil {
		return nil
	}
	in := bufio.NewReaderSize(s.raw, Lookahead)
	magic, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		s.gzip = true
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		in = bufio.NewReaderSize(z, Lookahead)
	}
	s.in = in
	return nil
}

// next returns a line without its line feed, valid until the next call of next or ahead. terminated is false if the last
// line lacks the line feed. At the end it returns io.EOF. After ErrLineTooLong, line, start and after describe the skipped
// line, and the next call returns the line after it. Any other error is final.
func (s *lineSource) next() (line []byte, terminated bool, err error) {
	s.line++
	s.start = s.after
	if err := s.open(); err != nil {
		return nil, false, s.streamError(err)
	}
	if cap(s.long) > retain {
		s.long = nil
	}
	s.long = s.long[:0]
	tooLong := false
	for {
		part, err := s.in.ReadSlice('\n')
		s.after += int64(len(part))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return nil, false, s.streamError(err)
		}
		terminated = err == nil
		if terminated {
			part = part[:len(part)-1]
		}
		if len(s.long)+len(part) > s.max {
			tooLong = true
			s.long = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			if !tooLong {
				s.long = append(s.long, part...)
			}
			continue
		}
		switch {
		case err != nil && s.after == s.start:
			return nil, false, io.EOF
		case tooLong:
			return nil, terminated, ErrLineTooLong
		case len(s.long) == 0:
			return part, terminated, nil
		}
		s.long = append(s.long, part...)
		return s.long, terminated, nil
	}
}

// hold copies a line from next to a place where ahead does not overwrite it.
func (s *lineSource) hold(line []byte) []byte {
	if len(s.long) == 0 {
		s.long = append(s.long, line...)
		return s.long
	}
	return line
}

// ahead returns up to Lookahead bytes that follow, without consuming them. The next call of next returns a read error.
func (s *lineSource) ahead() []byte {
	b, err := s.in.Peek(s.in.Size())
	if err != nil {
		return b // a shorter window; next gets the error again
	}
	return b
}

func (s *lineSource) streamError(err error) error {
	if s.gzip && errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncatedGzip
	}
	return err
}
