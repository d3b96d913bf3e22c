package program

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineTime is the time between two lines of progress where there is no terminal.
const lineTime = 10 * time.Second

// Bar shows the progress of a part of a long command: a bar on a terminal, else a line now and then.
type Bar struct {
	mutex sync.Mutex
	part  string
	unit  string
	start time.Time
	bar   *progressbar.ProgressBar // nil until show is called first, and without a terminal
	shown bool
	line  time.Time // when a line was last printed
}

// NewBar returns the bar of a part, whose progress is counted in a unit.
func NewBar(part, unit string) *Bar {
	return &Bar{part: part, unit: unit, start: time.Now(), line: time.Now(), shown: term.IsTerminal(int(os.Stderr.Fd()))}
}

// Show updates the bar. It shows a rate of bytes only if bytes is above 0.
func (b *Bar) Show(done, total, bytes int64) {
	if total <= 0 {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if !b.shown {
		if time.Since(b.line) >= lineTime {
			b.line = time.Now()
			fmt.Fprintf(os.Stderr, "%s: %d of %d %s, %s\n", b.part, done, total, b.unit, time.Since(b.start).Round(time.Second))
		}
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetSpinnerChangeInterval(0), // otherwise a goroutine draws by itself, even after the end
		)
	}
	seconds := max(time.Since(b.start).Seconds(), 0.001)
	text := fmt.Sprintf("%s: %.0f %s/s", b.part, float64(done)/seconds, b.unit)
	if bytes > 0 {
		text += fmt.Sprintf(", %.1f MB/s", float64(bytes)/seconds/1e6)
	}
	b.bar.Describe(text)
	if b.bar.GetMax64() != total {
		b.bar.ChangeMax64(total)
	}
	_ = b.bar.Set64(min(done, total-1)) // a full bar would finish by itself, which is up to done
}

// Done removes the bar.
func (b *Bar) Done() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.bar != nil {
		_ = b.bar.Clear()
	}
	b.shown = false
}
