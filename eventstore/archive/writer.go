package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// ErrNotRaw is the error for a record that the Raw dialect can't carry. Write the file in the Copy dialect.
var ErrNotRaw = errors.New("record can't be written without escapes")

// Writer writes records as lines of one dialect. It buffers; call Flush at the end. It is not safe for use by several
// goroutines.
type Writer struct {
	out     *bufio.Writer
	dialect Dialect
	line    []byte
}

// NewWriter returns a writer of the given dialect; Auto means Copy.
func NewWriter(w io.Writer, d Dialect) *Writer {
	if d != Raw {
		d = Copy
	}
	return &Writer{out: bufio.NewWriterSize(w, 256<<10), dialect: d}
}

// Write writes one line. It refuses, and then writes nothing, a record that a reader would not accept: a path without its
// leading slash, a year outside of 1 to 9999, and in the Raw dialect anything that needs an escape (ErrNotRaw). It
// accepts a payload that is not JSON, which a reader accepts only with Options.AnyPayload. After an error of the
// underlying writer every later call returns it too.
func (w *Writer) Write(rec Record) error {
	if !isPath(rec.Path) {
		return fmt.Errorf("write event %d: want a path that starts with a slash, got %q", rec.ID, rec.Path)
	}
	if year := rec.ReceivedAt.UTC().Year(); year < 1 || year > 9999 {
		return fmt.Errorf("write event %d: want a year from 1 to 9999, got %v", rec.ID, rec.ReceivedAt)
	}
	if cap(w.line) > retain {
		w.line = nil
	}
	line := w.line[:0]
	line = w.appendID(line, rec)
	line = append(line, '\t')
	line = w.appendTime(line, rec)
	line = append(line, '\t')
	if w.dialect == Copy {
		line = append(appendEscaped(line, []byte(rec.Path)), '\t')
		line = append(appendEscaped(line, rec.Payload), '\n')
		w.line = line
		_, err := w.out.Write(line)
		return err
	}
	if err := fitsRaw(rec); err != nil {
		return fmt.Errorf("write event %d %s: %w", rec.ID, rec.Path, err)
	}
	line = append(append(line, rec.Path...), '\t')
	w.line = line
	if _, err := w.out.Write(line); err != nil {
		return err
	}
	if _, err := w.out.Write(rec.Payload); err != nil {
		return err
	}
	return w.out.WriteByte('\n')
}

// Flush hands everything written so far to the underlying writer.
func (w *Writer) Flush() error { return w.out.Flush() }

func (w *Writer) appendID(line []byte, rec Record) []byte {
	switch {
	case rec.HasID:
		if n, err := strconv.ParseInt(rec.IDText, 10, 64); err == nil && n == rec.ID {
			return append(line, rec.IDText...)
		}
		return strconv.AppendInt(line, rec.ID, 10)
	case w.dialect == Copy:
		return append(line, `\N`...)
	}
	return line
}

func (w *Writer) appendTime(line []byte, rec Record) []byte {
	if t, _, ok := parseTime([]byte(rec.TimeText)); ok && t.Equal(rec.ReceivedAt.Truncate(time.Microsecond)) {
		return append(line, rec.TimeText...)
	}
	layout := copyTimeLayout
	if w.dialect == Raw {
		layout = rawTimeLayout
	}
	return rec.ReceivedAt.UTC().AppendFormat(line, layout)
}

func fitsRaw(rec Record) error {
	switch {
	case bytes.ContainsAny([]byte(rec.Path), "\t\n"):
		return fmt.Errorf("%w: tab or line feed in the path", ErrNotRaw)
	case bytes.IndexByte(rec.Payload, '\n') >= 0:
		return fmt.Errorf("%w: line feed in the payload", ErrNotRaw)
	case bytes.HasSuffix(rec.Payload, []byte{'\r'}):
		return fmt.Errorf("%w: carriage return at the end of the payload", ErrNotRaw)
	}
	return nil
}
