package versions

import (
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/must"
	"strata/projections/version"
)

// The table of versions fits a terminal, even with large values.
func TestStatusTable(t *testing.T) {
	t.Parallel()
	rate, eta, position, failure := 123_456.7, 400_000.0, int64(17), "a bug"
	wide := version.Status{
		Name: "inscriptions", Version: 12, Rules: 12, Previous: true, State: version.StateBuilding, Position: 1_234_567_890, Head: 2_234_567_890,
		LagSeconds: 86_400 * 1000, Rows: 12_345_678_901, Bytes: 900 << 30, Rate: &rate, ETASeconds: &eta, Quarantined: 12_345, Error: &failure, ErrorPosition: &position,
	}
	var b strings.Builder
	must.Do(t, writeStatuses(&b, []version.Status{{Name: "brc20", Version: 1, Rules: 1, Active: true, State: version.StateLive}, wide}))
	lines := strings.Split(b.String(), "\n")
	for _, line := range lines[:3] {
		if n := len([]rune(line)); n > 150 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	for _, want := range []string{"NAME", "1,000,000,000", "1000d0h", "4d15h", "900 GiB", "123,456/s", "previous"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
	if !strings.Contains(b.String(), "\ninscriptions_v12 failed at position 17 and was resumed: a bug\n") {
		t.Errorf("got\n%s", b.String())
	}
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m1s", time.Hour: "1h0m", 49 * time.Hour: "2d1h"} {
		if got := shortDuration(d); got != want {
			t.Errorf("%s: got %s, want %s", d, got, want)
		}
	}
}
