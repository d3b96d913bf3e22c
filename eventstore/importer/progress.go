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

// Progress hears how an import goes. Its methods are called one after the other: Update several times a second, Done
// once at the end.
type Progress interface {
	Update(Status)
	Done(Result, error)
}

// Status is how far an import is.
type Status struct {
	// File in work, as given.
	File string
	// BytesDone and BytesTotal count the files as they are on disk, so that their ratio tells the time left.
	// BytesTotal is 0 when it can't be known, as for the standard input.
	BytesDone, BytesTotal int64
	// Events were appended by this import, Known were found to be there before.
	Events, Known int64
	// Elapsed since the start.
	Elapsed time.Duration
}

// lineInterval is how often plain progress says something.
const lineInterval = 5 * time.Second

// NewProgress shows a bar on a terminal and plain lines on anything else. Both end with a summary.
func NewProgress(out *os.File) Progress {
	if term.IsTerminal(int(out.Fd())) {
		return NewBar(out)
	}
	return NewLines(out, lineInterval)
}

// summary writes what was done, a line for each file that had been imported before, and one for the rest.
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

// count writes 1234567 as 1,234,567.
func count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// byteCount writes a size in binary units, as 1.5 GiB.
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
