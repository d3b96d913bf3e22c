package audit

import (
	"strconv"
	"strings"
)

// logTile is a tile or a bundle of entries, as a path of c2sp.org/tlog-tiles names it.
type logTile struct {
	entries bool // a bundle of entries
	level   int
	n       int64
	width   int
}

const (
	logTileWidth = 256
	// logTileLevels is one more than the highest level that a path can name.
	logTileLevels = 64
	// logTileGroups bounds the digits of a number, so that it fits into an int64.
	logTileGroups = 6
)

// parseLogTile parses what follows tile/ in a path: <level or entries>/<number>[.p/<width>]. It accepts only the
// canonical path of each tile.
func parseLogTile(path string) (t logTile, ok bool) {
	t.width = logTileWidth
	kind, number, _ := strings.Cut(path, "/")
	if t.entries = kind == "entries"; !t.entries {
		if t.level, ok = parseShort(kind); !ok || t.level >= logTileLevels {
			return t, false
		}
	}
	number, width, partial := strings.Cut(number, ".p/")
	if partial {
		if t.width, ok = parseShort(width); !ok || t.width < 1 || t.width >= logTileWidth {
			return t, false
		}
	}
	t.n, ok = parseLogNumber(number)
	return t, ok
}

// parseLogNumber parses groups of three digits, each but the last with an x in front.
func parseLogNumber(text string) (n int64, ok bool) {
	groups := strings.Split(text, "/")
	if len(groups) > logTileGroups || len(groups) > 1 && groups[0] == "x000" {
		return 0, false
	}
	for i, group := range groups {
		if i < len(groups)-1 {
			if group, ok = strings.CutPrefix(group, "x"); !ok {
				return 0, false
			}
		}
		if len(group) != 3 || !isDigits(group) {
			return 0, false
		}
		digits, _ := strconv.Atoi(group)
		n = n*1000 + int64(digits)
	}
	return n, true
}

// parseShort parses a number of up to three digits without leading zeros.
func parseShort(text string) (n int, ok bool) {
	if text == "" || len(text) > 3 || !isDigits(text) || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func isDigits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}
