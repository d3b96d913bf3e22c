package importer

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// Progress shows the progress of an import. Import calls Update several times a second and Done once at the end, never
// two at the same time.
type Progress interface {
	Update(Status)
	Done(Result, error)
}

// Status is the progress of an import.
type Status struct {
	// File is the name, as given, of the current file.
	File string
	// BytesDone and BytesTotal are bytes on disk, compressed or not, so their ratio predicts the time left. BytesTotal is
	// 0 if it is unknown, as for the standard input.
	BytesDone, BytesTotal int64
	// Events is the number of events that this run has appended, and Known the number that it has skipped because an
	// earlier run had appended them.
	Events, Known int64
	// Elapsed is the time since the start.
	Elapsed time.Duration
}

// lineInterval is the time between two plain lines.
const lineInterval = 5 * time.Second

// NewProgress returns a Bar for a terminal and Lines for anything else. Both end with a summary.
func NewProgress(out *os.File) Progress {
	if term.IsTerminal(int(out.Fd())) {
		return NewBar(out)
	}
	return NewLines(out, lineInterval)
}

// summary writes a line for each file that was already imported, and one line for all others.
func summary(out io.Writer, r Result, err error, elapsed time.Duration) {
	var b strings.Builder
	fresh := 0
	for _, f := range r.Files {
		if f.AlreadyImported() {
			fmt.Fprintf(&b, "%s: imported before (%s events), nothing to do\n", f.Name, count(f.Known))
		} else {
			fresh++
		}
	}
	seconds := max(elapsed.Seconds(), 0.001)
	figures := fmt.Sprintf("%s events, %s in %v: %s events/s, %s/s", count(r.Events), byteCount(r.Bytes),
		elapsed.Round(10*time.Millisecond), count(int64(float64(r.Events)/seconds)), byteCount(int64(float64(r.Bytes)/seconds)))
	switch {
	case err != nil:
		fmt.Fprintf(&b, "stopped after %s\n", figures)
	case fresh > 0 || len(r.Files) == 0:
		fmt.Fprintf(&b, "imported %s\n", figures)
	}
	_, _ = io.WriteString(out, b.String()) // a terminal that is gone is no reason to fail an import
}

// count formats 1234567 as 1,234,567.
func count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// byteCount formats a size in binary units, such as 1.5 GiB.
func byteCount(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, unit := float64(n)/1024, 0
	for value >= 1023.95 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}
