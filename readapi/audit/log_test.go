package audit

import (
	"strconv"
	"strings"
	"testing"

	"github.com/transparency-dev/tessera/api/layout"
)

// FuzzLogTile compares parseLogTile with another implementation: it parses exactly the paths that the other writes.
func FuzzLogTile(f *testing.F) {
	for _, path := range []string{"0/000", "1/x001/x234/067", "entries/x001/000.p/255", "63/x999/999.p/1", "0/x000/000", "00/000", "0/000.p/256", "entries", "/", ""} {
		f.Add(path)
	}
	for _, n := range []uint64{0, 1, 999, 1000, 1_234_067, 1 << 40} {
		f.Add(strings.TrimPrefix(layout.TilePath(3, n, 17), "tile/"))
		f.Add(strings.TrimPrefix(layout.EntriesPath(n, 0), "tile/"))
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, ok := parseLogTile(path)
		if !ok {
			if level, rest, found := strings.Cut(path, "/"); found && level != "entries" {
				if l, n, _, err := layout.ParseTileLevelIndexPartial(level, rest); err == nil && n < 1e17 && level == strconv.FormatUint(l, 10) && l < 64 {
					if want := layout.TilePath(l, n, 0); strings.TrimPrefix(want, "tile/") == path {
						t.Errorf("%q was not parsed", path)
					}
				}
			}
			return
		}
		want := layout.TilePath(uint64(got.level), uint64(got.n), uint8(got.width%logTileWidth))
		if got.entries {
			want = layout.EntriesPath(uint64(got.n), uint8(got.width%logTileWidth))
		}
		if want != "tile/"+path {
			t.Errorf("%q was parsed as %+v, whose path is %q", path, got, want)
		}
	})
}

func TestLogTile(t *testing.T) {
	t.Parallel()
	for _, n := range []uint64{0, 1, 255, 999, 1000, 1_000_000, 1_234_067, 999_999_999_999_999_999} {
		for _, width := range []uint8{0, 1, 255} {
			for level := range uint64(64) {
				got, ok := parseLogTile(strings.TrimPrefix(layout.TilePath(level, n, width), "tile/"))
				if want := (logTile{level: int(level), n: int64(n), width: (int(width)+255)%256 + 1}); !ok || got != want {
					t.Fatalf("%s: got %+v, want %+v", layout.TilePath(level, n, width), got, want)
				}
			}
		}
	}
}
