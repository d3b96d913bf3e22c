package main

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

// How often a build says how far it is, where it does not draw on a terminal, and over which time its rates are means.
const (
	buildLineTime   = 5 * time.Second
	buildRateWindow = 15 * time.Second // the position moves with each transaction, which may take seconds
)

// buildProgress shows how builds go, a line for each: bars on a terminal, text now and then on anything else.
type buildProgress struct {
	out      *os.File
	terminal bool
	bytes    *logBytes
	builds   []*buildLine
	drawn    bool
	told     time.Time
}

// buildLine is how far one is in the log, whatever it folds.
type buildLine struct {
	schema projections.Schema
	bar    *progressbar.ProgressBar // nil where there is no terminal
	events int64                    // of the log that it reflects
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
	p := &buildProgress{out: out, bytes: bytes, terminal: terminal, told: time.Now()}
	width := 0
	for _, i := range schemas {
		width = max(width, len(i.String()))
	}
	for _, i := range schemas {
		b := &buildLine{schema: i, begun: time.Now()}
		if p.terminal {
			// It draws nothing by itself: with several lines, each is drawn in its place.
			b.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(12),
				progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetSpinnerChangeInterval(0),
				progressbar.OptionSetDescription(fmt.Sprintf("%-*s", width, i)))
		}
		p.builds = append(p.builds, b)
	}
	return p
}

// note takes in where a version stands. ready says that it has caught up.
func (p *buildProgress) note(s version.Status, size int64, ready bool) {
	for _, b := range p.builds {
		if b.schema != s.Schema() {
			continue
		}
		now := time.Now()
		b.events, b.size = min(s.LogSeq, size), size
		if ready {
			b.events = size // what came after the last item is nothing that it folds
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

// rates are the events and bytes of the log that it passes in a second.
func (b *buildLine) rates() (events, bytes float64) {
	first, last := b.recent[0], b.recent[len(b.recent)-1]
	elapsed := last.at.Sub(first.at).Seconds()
	if elapsed <= 0 {
		return 0, 0
	}
	return float64(last.events-first.events) / elapsed, (last.bytes - first.bytes) / elapsed
}

// figures say how it goes, in words.
func (b *buildLine) figures() string {
	if b.done {
		return "caught up"
	}
	events, bytes := b.rates()
	if b.events >= b.size {
		return "at the end of the log, making indexes"
	}
	left := "time left not known"
	if events > 0 {
		left = shortly(seconds(float64(b.size-b.events)/events)) + " left"
	}
	return fmt.Sprintf("%s events/s, %s/s, %s", humanize.Comma(int64(events)), humanize.IBytes(uint64(max(bytes, 0))), left)
}

// draw shows all; done says that it is the last time.
func (p *buildProgress) draw(done bool) {
	if p.terminal {
		p.drawBars()
		return
	}
	if !done && time.Since(p.told) < buildLineTime {
		return
	}
	p.told = time.Now()
	for _, b := range p.builds {
		if done {
			events := float64(b.size) / max(b.took.Seconds(), 0.001)
			_, _ = fmt.Fprintf(p.out, "%s: caught up with %s events after %s: %s events/s, %s/s\n", b.schema, humanize.Comma(b.size), b.took.Round(10*time.Millisecond),
				humanize.Comma(int64(events)), humanize.IBytes(uint64(p.bytes.upTo(b.size)/max(b.took.Seconds(), 0.001))))
		} else {
			_, _ = fmt.Fprintf(p.out, "%s: event %s of %s, %s\n", b.schema, humanize.Comma(b.events), humanize.Comma(b.size), b.figures())
		}
	}
}

// drawBars draws a line for each over those that it drew before.
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
			b.bar.Reset() // it had caught up, and then much came
		}
		b.bar.ChangeMax64(max(b.size, 1))
		at := b.events
		if !b.done { // a full bar is at its end
			at = min(at, b.size-1)
		}
		// What fails of it is its writer, which does not.
		_ = b.bar.Set64(max(at, 0))
		_ = b.bar.RenderBlank() // also when it has not moved
		line := strings.TrimSpace(strings.TrimLeft(b.bar.String(), "\r")) + "  " + b.figures()
		if utf8.RuneCountInString(line) >= columns { // a line that is broken would not be drawn over
			line = string([]rune(line)[:columns-1])
		}
		text.WriteString("\r\x1b[2K" + line + "\n")
	}
	_, _ = io.WriteString(p.out, text.String()) // a terminal that is gone is no reason to stop
}

func (p *buildProgress) end() {
	for _, b := range p.builds {
		if b.bar != nil {
			_ = b.bar.Exit()
		}
	}
}
