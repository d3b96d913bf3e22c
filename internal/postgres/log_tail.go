package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	tailLines = 6        // number of lines of output that an error quotes
	tailBytes = 16 << 10 // size of the log's end that is searched for them
	maxLog    = 16 << 20 // a longer log is renamed when the server starts
)

// lastLines joins the last lines of a program's output into one.
func lastLines(out []byte) string {
	var lines []string
	for line := range bytes.Lines(out) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, string(line))
		}
	}
	return strings.Join(lines[max(0, len(lines)-tailLines):], "; ")
}

// logSince returns the last lines that the file has after offset. They only complete an error, so logSince returns
// nothing if it cannot read the file.
func logSince(path string, offset int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	offset = max(offset, info.Size()-tailBytes)
	out, err := io.ReadAll(io.NewSectionReader(file, offset, tailBytes))
	if err != nil {
		return ""
	}
	return lastLines(out)
}

// openLog opens the server's log for appending and returns its length. A log longer than maxLog is first renamed to
// ".1".
func (h home) openLog() (*os.File, int64, error) {
	if info, err := os.Stat(h.log()); err == nil && info.Size() > maxLog {
		if err := os.Rename(h.log(), h.log()+".1"); err != nil {
			return nil, 0, fmt.Errorf("rotate the server's log: %w", err)
		}
	}
	file, err := os.OpenFile(h.log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open the server's log: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		err = h.account.own(h.log())
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("open the server's log: %w", err), file.Close())
	}
	return file, info.Size(), nil
}
