package versions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/version"
)

// Bars are drawn over the previous ones, an unwrapped line for each build. A build that had caught up may fall behind
// again.
func TestBuildProgress(t *testing.T) {
	t.Parallel()
	out := must.Get(os.Create(filepath.Join(t.TempDir(), "terminal")))(t)
	defer func() { _ = out.Close() }()
	bytes := &logBytes{ends: []int64{1000, 2000}, sums: []float64{1 << 20, 3 << 20}}
	p := newBuildProgress([]projections.Schema{{Name: "chain", Version: 2}, {Name: "inscriptions", Version: 12}}, bytes, out, true)
	at := func(chain, inscriptions int64, ready bool) []string {
		t.Helper()
		p.note(version.Status{Name: "chain", Version: 2, LogSeq: chain}, 2000, false)
		p.note(version.Status{Name: "inscriptions", Version: 12, LogSeq: inscriptions}, 2000, ready)
		for _, b := range p.builds { // as if a second had passed
			for i := range b.recent {
				b.recent[i].at = b.recent[i].at.Add(-time.Second)
			}
		}
		before := must.Get(out.Seek(0, 1))(t)
		p.draw(false)
		text := must.Get(os.ReadFile(out.Name()))(t)
		drawn := string(text[before:])
		if up := strings.Contains(drawn, "\x1b[2A"); up != (before > 0) {
			t.Errorf("got %q, want it to be drawn over what was drawn before", drawn)
		}
		lines := strings.Split(strings.TrimSuffix(regexp.MustCompile(`\x1b\[[0-9]*[A-Z]|\r`).ReplaceAllString(drawn, ""), "\n"), "\n")
		if len(lines) != 2 {
			t.Fatalf("got %q, want two lines", drawn)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 79 {
				t.Errorf("%d characters: %q", n, line)
			}
		}
		return lines
	}
	at(0, 0, false)
	if lines := at(500, 0, false); !regexp.MustCompile(`^chain_v2 +25% \|█+ +\|  (4[0-9]{2}|500) events/s, (4[0-9]{2}|5[01][0-9]) KiB/s, [34]s left$`).MatchString(lines[0]) || !strings.Contains(lines[1], "  0% |") {
		t.Errorf("got %q", lines)
	}
	if lines := at(500, 2000, true); !strings.Contains(lines[1], "100% |") || !strings.HasSuffix(lines[1], "caught up") {
		t.Errorf("got %q", lines)
	}
	if lines := at(1000, 1000, false); !strings.Contains(lines[1], " 50% |") {
		t.Errorf("after more has come: got %q", lines)
	}
	if lines := at(2000, 1000, false); !strings.Contains(lines[0], "at the end of the log") {
		t.Errorf("got %q", lines)
	}
	p.end()
}
