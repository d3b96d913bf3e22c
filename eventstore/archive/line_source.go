package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// retain is the size up to which a buffer that grew for one long line is kept for the next one.
const retain = 16 << 20

// lineSource cuts a stream, decompressed if it is gzip, into lines of any length.
type lineSource struct {
	raw  io.Reader
	in   *bufio.Reader // nil until the first line is asked for
	gzip bool
	max  int

	long         []byte // assembles lines longer than the buffer of in
	line         int64  // number of the line returned last
	start, after int64  // where it starts, and where the next one does
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

// next returns a line without its line feed, valid until the next call of next or ahead. terminated is false for a
// last line that lacks the line feed. At the end it returns io.EOF; ErrLineTooLong leaves the source at the following
// line, with line, start and after set for the one skipped; any other error is final.
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

// hold copies a line returned by next to where ahead does not touch it.
func (s *lineSource) hold(line []byte) []byte {
	if len(s.long) == 0 {
		s.long = append(s.long, line...)
		return s.long
	}
	return line
}

// ahead returns up to Lookahead bytes that follow, without consuming them. A read error shows at the next call of next.
func (s *lineSource) ahead() []byte {
	b, err := s.in.Peek(s.in.Size())
	if err != nil {
		return b // a shorter window; the error comes back from the stream
	}
	return b
}

func (s *lineSource) streamError(err error) error {
	if s.gzip && errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncatedGzip
	}
	return err
}
