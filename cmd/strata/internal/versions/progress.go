package versions

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"strata/projections"
	"strata/projections/version"
)

// buildLineTime is the time between two lines of progress where there is no terminal. buildRateWindow is the time over
// which rates are averaged.
const (
	buildLineTime   = 5 * time.Second
	buildRateWindow = 15 * time.Second // longer than a transaction, with which the position moves
)

// buildProgress shows the progress of builds, a line for each: bars on a terminal, else lines of text at intervals.
type buildProgress struct {
	out      *os.File
	terminal bool
	bytes    *logBytes
	builds   []*buildLine
	drawn    bool
	printed  time.Time // when lines were last printed
}

// buildLine is the progress of one build, in events of the log, even for a build that folds the steps of a leader.
type buildLine struct {
	schema projections.Schema
	bar    *progressbar.ProgressBar // nil without a terminal
	events int64                    // of the log that the build reflects
	size   int64                    // of the log
	done   bool
	begun  time.Time
	took   time.Duration
	recent []buildSample
}

type buildSample struct {
	at     time.Time
	events int64
	bytes  float64
}

func newBuildProgress(schemas []projections.Schema, bytes *logBytes, out *os.File, terminal bool) *buildProgress {
	p := &buildProgress{out: out, bytes: bytes, terminal: terminal, printed: time.Now()}
	width := 0
	for _, i := range schemas {
		width = max(width, len(i.String()))
	}
	for _, i := range schemas {
		b := &buildLine{schema: i, begun: time.Now()}
		if p.terminal {
			// The bar must not draw by itself: drawBars puts each bar on its own line.
			b.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(12),
				progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetSpinnerChangeInterval(0),
				progressbar.OptionSetDescription(fmt.Sprintf("%-*s", width, i)))
		}
		p.builds = append(p.builds, b)
	}
	return p
}

// note records the status of a version. size is the size of the log. ready means that the version has caught up.
func (p *buildProgress) note(s version.Status, size int64, ready bool) {
	for _, b := range p.builds {
		if b.schema != s.Schema() {
			continue
		}
		now := time.Now()
		b.events, b.size = min(s.LogSeq, size), size
		if ready {
			b.events = size // after its last item the log holds only events that it does not fold
		}
		if ready && !b.done {
			b.took = now.Sub(b.begun)
		}
		b.done = ready
		for len(b.recent) > 1 && now.Sub(b.recent[0].at) > buildRateWindow {
			b.recent = b.recent[1:]
		}
		b.recent = append(b.recent, buildSample{now, b.events, p.bytes.upTo(b.events)})
	}
}

// rates returns the events and bytes of the log that the build passes per second.
func (b *buildLine) rates() (events, bytes float64) {
	first, last := b.recent[0], b.recent[len(b.recent)-1]
	elapsed := last.at.Sub(first.at).Seconds()
	if elapsed <= 0 {
		return 0, 0
	}
	return float64(last.events-first.events) / elapsed, (last.bytes - first.bytes) / elapsed
}

// figures describes the state of the build in words.
func (b *buildLine) figures() string {
	if b.done {
		return "caught up"
	}
	events, bytes := b.rates()
	if b.events >= b.size {
		return "at the end of the log, building indexes"
	}
	left := "time left unknown"
	if events > 0 {
		left = shortDuration(seconds(float64(b.size-b.events)/events)) + " left"
	}
	return fmt.Sprintf("%s events/s, %s/s, %s", humanize.Comma(int64(events)), humanize.IBytes(uint64(max(bytes, 0))), left)
}

// draw shows all builds; done means that all are finished.
func (p *buildProgress) draw(done bool) {
	if p.terminal {
		p.drawBars()
		return
	}
	if !done && time.Since(p.printed) < buildLineTime {
		return
	}
	p.printed = time.Now()
	for _, b := range p.builds {
		if done {
			events := float64(b.size) / max(b.took.Seconds(), 0.001)
			_, _ = fmt.Fprintf(p.out, "%s: caught up with %s events in %s: %s events/s, %s/s\n", b.schema, humanize.Comma(b.size), b.took.Round(10*time.Millisecond),
				humanize.Comma(int64(events)), humanize.IBytes(uint64(p.bytes.upTo(b.size)/max(b.took.Seconds(), 0.001))))
		} else {
			_, _ = fmt.Fprintf(p.out, "%s: event %s of %s, %s\n", b.schema, humanize.Comma(b.events), humanize.Comma(b.size), b.figures())
		}
	}
}

// drawBars draws a line for each build, over the lines that it drew before.
func (p *buildProgress) drawBars() {
	columns, _, err := term.GetSize(int(p.out.Fd()))
	if err != nil || columns < 20 {
		columns = 80
	}
	var text strings.Builder
	if p.drawn {
		fmt.Fprintf(&text, "\x1b[%dA", len(p.builds))
	}
	p.drawn = true
	for _, b := range p.builds {
		if b.bar.IsFinished() && !b.done {
			b.bar.Reset() // it had caught up, and has fallen behind again
		}
		b.bar.ChangeMax64(max(b.size, 1))
		position := b.events
		if !b.done { // a full bar would be finished
			position = min(position, b.size-1)
		}
		// Only writing can fail, and the bar's writer never does.
		_ = b.bar.Set64(max(position, 0))
		_ = b.bar.RenderBlank() // renders also a bar that has not moved
		line := strings.TrimSpace(strings.TrimLeft(b.bar.String(), "\r")) + "  " + b.figures()
		if utf8.RuneCountInString(line) >= columns { // a wrapped line would not be drawn over
			line = string([]rune(line)[:columns-1])
		}
		text.WriteString("\r\x1b[2K" + line + "\n")
	}
	_, _ = io.WriteString(p.out, text.String()) // a build goes on without its terminal
}

func (p *buildProgress) end() {
	for _, b := range p.builds {
		if b.bar != nil {
			_ = b.bar.Exit()
		}
	}
}
