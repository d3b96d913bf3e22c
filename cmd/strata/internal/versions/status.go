package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Status lists the versions.
type Status struct {
	Database database.Flags `embed:"" group:"Database:"`

	JSON bool `help:"Print JSON."`
}

// Run prints the status of all versions.
func (c *Status) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, _ projections.Lines) error {
		statuses, err := version.Statuses(ctx, db.Pool)
		if err != nil {
			return err
		}
		if c.JSON {
			encoder := json.NewEncoder(os.Stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(statuses)
		}
		return writeStatuses(os.Stdout, statuses)
	})
}

// column is a column of the table that is printed.
type column struct {
	title string
	left  bool // words are aligned left, numbers right
	value func(s version.Status) string
}

// statusColumns fit a terminal of 150 characters, even for a log of a billion events.
var statusColumns = []column{
	{"NAME", true, func(s version.Status) string { return s.Name }},
	{"VERSION", false, func(s version.Status) string { return fmt.Sprint(s.Version) }},
	{"RULES", false, func(s version.Status) string { return fmt.Sprint(s.Rules) }},
	{"READERS", true, readersOf},
	{"STATE", true, func(s version.Status) string { return s.State }},
	{"POSITION", false, func(s version.Status) string { return humanize.Comma(s.Position) }},
	{"LAG", false, func(s version.Status) string { return humanize.Comma(s.Lag()) }},
	{"BEHIND", false, func(s version.Status) string {
		if s.Lag() == 0 {
			return "-"
		}
		return shortDuration(seconds(s.LagSeconds))
	}},
	{"ROWS", false, func(s version.Status) string { return humanize.Comma(s.Rows) }},
	{"SIZE", false, func(s version.Status) string { return humanize.IBytes(uint64(s.Bytes)) }},
	{"RATE", false, func(s version.Status) string {
		if s.Rate == nil {
			return "-"
		}
		return humanize.Comma(int64(*s.Rate)) + "/s"
	}},
	{"ETA", false, func(s version.Status) string {
		if s.ETASeconds == nil {
			return "-"
		}
		return shortDuration(seconds(*s.ETASeconds))
	}},
	{"QUARANTINED", false, func(s version.Status) string { return humanize.Comma(s.Quarantined) }},
}

func readersOf(s version.Status) string {
	switch {
	case s.Active:
		return "active"
	case s.Previous:
		return "previous"
	}
	return "-"
}

// writeStatuses writes a table with a row for each version, and below it the errors of those that have failed.
func writeStatuses(out io.Writer, statuses []version.Status) error {
	rows := [][]string{make([]string, len(statusColumns))}
	for i, column := range statusColumns {
		rows[0][i] = column.title
	}
	for _, s := range statuses {
		row := make([]string, len(statusColumns))
		for i, column := range statusColumns {
			row[i] = column.value(s)
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			width := 0
			for _, other := range rows {
				width = max(width, utf8.RuneCountInString(other[i]))
			}
			if padding := strings.Repeat(" ", width-utf8.RuneCountInString(cell)); statusColumns[i].left {
				line.WriteString(cell + padding + "  ")
			} else {
				line.WriteString(padding + cell + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	for _, s := range statuses {
		if s.Error != nil && s.ErrorPosition != nil {
			resumed := ""
			if s.State != version.StateFailed {
				resumed = " and was resumed"
			}
			fmt.Fprintf(&b, "\n%s failed at position %s%s: %s\n", s.Schema(), humanize.Comma(*s.ErrorPosition), resumed, *s.Error)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// shortDuration formats a duration with its two largest units, such as 3d4h or 5m10s.
func shortDuration(d time.Duration) string {
	d = d.Round(time.Second)
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0:
		return fmt.Sprintf("%dd%dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh%dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm%ds", minutes, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Seconds()))
}
