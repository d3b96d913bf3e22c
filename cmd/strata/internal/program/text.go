package program

import (
	"context"
	"errors"
	"strings"
)

// OneLine returns an error's text as one line, for a terminal or a supervisor's log. It joins texts of several lines,
// such as pgx's with a line for each attempt to connect, and drops lines that repeat the one before.
func OneLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text, previous := "", ""
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || line == previous {
			continue
		}
		switch {
		case text == "":
		case strings.HasSuffix(text, ":"):
			text += " "
		default:
			text += "; "
		}
		text, previous = text+line, line
	}
	return text
}

// Visible replaces control characters, so that text from outside can't move the cursor of a terminal.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}
