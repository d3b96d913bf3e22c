package archive

import (
	"errors"
	"fmt"
	"strings"
)

// Reasons a caller may want to tell apart. They are wrapped in a *LineError.
var (
	// ErrTruncatedGzip: the compressed stream ends in the middle. The file is incomplete; fetch it again.
	ErrTruncatedGzip = errors.New("gzip stream is truncated")
	// ErrTruncatedLine: the last line has no line feed and is not a complete event.
	ErrTruncatedLine = errors.New("last line is truncated")
	// ErrLineTooLong: a line exceeds Options.MaxLine.
	ErrLineTooLong = errors.New("line too long")
	// ErrNotJSON: the payload is not valid JSON in the dialect in use.
	ErrNotJSON = errors.New("payload is not JSON")
)

// LineError names the line of a file that can't be read and says why.
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

// fault is a LineError that does not know its place yet.
type fault struct {
	want, got string
	err       error
}

// quote shows the start of a piece of the file in a message.
func quote(b []byte) string {
	const most = 60
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
