package importer

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar shows progress on a terminal: a bar for the bytes of the files.
type Bar struct {
	out    io.Writer
	start  time.Time
	bar    *progressbar.ProgressBar // nil before the first update
	recent []Status                 // within the last rateWindow
}

// rateWindow is the time over which the rate is averaged.
const rateWindow = 5 * time.Second

// NewBar returns a Bar that draws on a terminal.
func NewBar(out io.Writer) *Bar { return &Bar{out: out, start: time.Now()} }

// Update moves the bar.
func (b *Bar) Update(s Status) {
	if b.bar == nil {
		total := s.BytesTotal
		if total == 0 {
			total = -1 // a spinner
		}
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(b.out),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetWidth(20),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetSpinnerChangeInterval(0), // or a goroutine would draw even after the end
		)
	}
	for len(b.recent) > 0 && s.Elapsed-b.recent[0].Elapsed > rateWindow {
		b.recent = b.recent[1:]
	}
	b.recent = append(b.recent, s)
	rate := 0.0
	if first := b.recent[0]; s.Elapsed > first.Elapsed {
		rate = float64(s.Events+s.Known-first.Events-first.Known) / (s.Elapsed - first.Elapsed).Seconds()
	}
	what := "events"
	if s.Events == 0 && s.Known > 0 {
		what = "events there before"
	}
	b.bar.Describe(fmt.Sprintf("%s %s %s, %s/s", shorten(s.File), count(s.Events+s.Known), what, count(int64(rate))))
	if s.BytesTotal > 0 {
		// A full bar would finish by itself, but Done does that.
		s.BytesDone = min(s.BytesDone, s.BytesTotal-1)
	}
	_ = b.bar.Set64(s.BytesDone) // a terminal that is gone is no reason to fail an import
}

// Done removes the bar and writes the summary.
func (b *Bar) Done(r Result, err error) {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
	summary(b.out, r, err, time.Since(b.start))
}

// shorten keeps the end of a long file name.
func shorten(name string) string {
	const most = 24
	if runes := []rune(name); len(runes) > most {
		return "…" + string(runes[len(runes)-most+1:])
	}
	return name
}
