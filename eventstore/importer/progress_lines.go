package importer

import (
	"fmt"
	"io"
	"time"
)

// Lines writes progress to a log: a plain line now and then.
type Lines struct {
	out      io.Writer
	interval time.Duration
	start    time.Time
	last     Status // at the last line
}

// NewLines returns Lines that write at most one line per interval.
func NewLines(out io.Writer, interval time.Duration) *Lines {
	return &Lines{out: out, interval: interval, start: time.Now()}
}

// Update writes a line if the interval has passed.
func (l *Lines) Update(s Status) {
	since := s.Elapsed - l.last.Elapsed
	if since < l.interval {
		return
	}
	rate := float64(s.Events+s.Known-l.last.Events-l.last.Known) / since.Seconds()
	share := byteCount(s.BytesDone)
	left := ""
	if s.BytesTotal > 0 {
		share = fmt.Sprintf("%s of %s (%.1f %%)", share, byteCount(s.BytesTotal), 100*float64(s.BytesDone)/float64(s.BytesTotal))
		if s.BytesDone > 0 {
			rest := time.Duration(float64(s.Elapsed) * float64(s.BytesTotal-s.BytesDone) / float64(s.BytesDone))
			left = fmt.Sprintf(", %v left", max(rest, 0).Round(time.Second))
		}
	}
	known := ""
	if s.Known > 0 {
		known = fmt.Sprintf(" (after %s there before)", count(s.Known))
	}
	_, _ = fmt.Fprintf(l.out, "%s: %s, %s events%s, %s events/s%s\n", s.File, share, count(s.Events), known, count(int64(rate)), left)
	l.last = s
}

// Done writes the summary.
func (l *Lines) Done(r Result, err error) { summary(l.out, r, err, time.Since(l.start)) }
