package diskspace

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	g := NewGuard(t.TempDir(), 1000<<20, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	known := true
	for _, c := range []struct {
		free         int64 // MB
		known        bool
		tight, short bool
		notice       string
	}{
		{free: 5000, known: true},
		{free: 3999, known: true, tight: true, notice: "3999 MB left, less than 4 times --disk-floor (1000 MB)"},
		{free: 4300, known: true, tight: true, notice: "4300 MB left"}, // not yet a tenth above
		{free: 4401, known: true},
		{free: 4300, known: true},
		{free: 999, known: true, tight: true, short: true, notice: "999 MB left, less than --disk-floor (1000 MB)"},
		{free: 1099, known: true, tight: true, short: true, notice: "1099 MB left"},
		{free: 1101, known: true, tight: true, notice: "1101 MB left, less than 4 times"},
		{free: 0, known: false},
	} {
		known = c.known
		g.free = func(string) (int64, bool) { return c.free << 20, known }
		g.measure(t.Context())
		if g.Tight() != c.tight || g.Short() != c.short || !strings.Contains(g.Notice(), c.notice) || (g.Notice() == "") != (c.notice == "") {
			t.Errorf("%d MB free: got tight %t, short %t, %q", c.free, g.Tight(), g.Short(), g.Notice())
		}
	}
	g.free = func(string) (int64, bool) { return 5000 << 20, true }
	if room, known := g.Room(); !known || room != 1000<<20 {
		t.Errorf("got room for %d bytes, %t, want what is above four floors", room, known)
	}
	var none *Guard
	if none.Tight() || none.Short() || none.Notice() != "" {
		t.Error("a guard of nothing refuses")
	}
	if bytes, known := Free(t.TempDir()); !known || bytes <= 0 {
		t.Errorf("got %d bytes free, %t", bytes, known)
	}
}
