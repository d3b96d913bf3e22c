package archive

import (
	"errors"
	"fmt"
	"strings"
)

// Reasons of a *LineError, which wraps them.
var (
	// ErrTruncatedGzip means that the compressed stream ends early. The file is incomplete; fetch it again.
	ErrTruncatedGzip = errors.New("gzip stream is truncated")
	// ErrTruncatedLine means that the last line has no line feed and is not a complete event.
	ErrTruncatedLine = errors.New("last line is truncated")
	// ErrLineTooLong means that a line exceeds Options.MaxLine.
	ErrLineTooLong = errors.New("line too long")
	// ErrNotJSON means that the payload is not valid JSON in the dialect in use.
	ErrNotJSON = errors.New("payload is not JSON")
)

// LineError names an unreadable line of a file and the reason.
type LineError struct {
	Name   string // Options.Name, may be empty
	Line   int64  // from 1
	Offset int64  // of the line's first byte in the decompressed stream
	Want   string
	Got    string
	Err    error // one of the reasons above, the reader's own error, or nil
}

func (e *LineError) Error() string {
	var b strings.Builder
	if e.Name != "" {
		b.WriteString(e.Name)
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "line %d", e.Line)
	if e.Offset > 0 {
		fmt.Fprintf(&b, " (byte %d)", e.Offset)
	}
	fmt.Fprintf(&b, ": want %s, got %s", e.Want, e.Got)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *LineError) Unwrap() error { return e.Err }

// fault is a LineError without its place.
type fault struct {
	want, got string
	err       error
}

// quote returns the start of a piece of the file for a message.
func quote(b []byte) string {
	const most = 60
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
