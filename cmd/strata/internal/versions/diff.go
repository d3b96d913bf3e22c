package versions

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections"
	"strata/projections/version"
)

// Diff prints the rows that differ between two versions.
type Diff struct {
	Database database.Flags `embed:"" group:"Database:"`
	argument `embed:""`

	V1    int  `arg:"" name:"v1" help:"Number of the version with the old rows."`
	V2    int  `arg:"" name:"v2" help:"Number of the version with the new rows."`
	JSON  bool `help:"Print one JSON object per line and row."`
	Limit int  `help:"Maximum number of rows to print (0 = unlimited)."`
}

// Run prints the rows that differ, and returns a program.MismatchError if there are any.
func (c *Diff) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(db *database.DB, lines projections.Lines) error {
		d, err := lines.Definition(c.Name)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		rows, err := c.compare(ctx, db, d, out)
		if flushErr := out.Flush(); err == nil {
			err = flushErr
		}
		if err != nil {
			return err
		}
		unmatched, err := version.FindUnmatched(ctx, db.Pool, d.Spec.At(c.V1).Schema, d.Spec.At(c.V2).Schema)
		if err != nil {
			return err
		}
		for _, u := range unmatched {
			fmt.Fprintf(os.Stderr, "not compared: %s\n", u)
		}
		switch {
		case rows > 0 && rows == c.Limit:
			return program.MismatchError{Err: fmt.Errorf("versions %d and %d of %s differ in at least %d rows", c.V1, c.V2, c.Name, rows)}
		case rows > 0:
			return program.MismatchError{Err: fmt.Errorf("versions %d and %d of %s differ in %d rows", c.V1, c.V2, c.Name, rows)}
		case !c.JSON:
			fmt.Printf("versions %d and %d of %s have the same rows\n", c.V1, c.V2, c.Name)
		}
		return nil
	})
}

// compare writes the rows that differ, and returns their number.
func (c *Diff) compare(ctx context.Context, db *database.DB, d projections.Definition, out io.Writer) (rows int, err error) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var writeErr error
	err = version.Diff(ctx, db.Pool, d, c.V1, c.V2, func(difference version.Difference) bool {
		rows++
		if c.JSON {
			writeErr = encoder.Encode(difference)
		} else {
			writeErr = writeDifference(out, difference)
		}
		return writeErr == nil && rows != c.Limit
	})
	if err == nil {
		err = writeErr
	}
	return rows, err
}

// writeDifference writes one line for the row (- missing, + extra, ~ changed), and one for each column that differs.
func writeDifference(out io.Writer, d version.Difference) error {
	var b strings.Builder
	sign, columns := "~", d.Columns
	switch {
	case d.Missing:
		sign, columns = "-", nil
	case d.Extra:
		sign, columns = "+", nil
	}
	fmt.Fprintf(&b, "%s %s", sign, d.Table)
	for _, key := range d.Key {
		fmt.Fprintf(&b, " %s=%s", key.Column, cellText(key.Text))
	}
	switch {
	case d.OldSeq != nil && d.NewSeq != nil && *d.OldSeq != *d.NewSeq:
		fmt.Fprintf(&b, "  (events %d and %d)", *d.OldSeq, *d.NewSeq)
	case d.OldSeq != nil:
		fmt.Fprintf(&b, "  (event %d)", *d.OldSeq)
	case d.NewSeq != nil:
		fmt.Fprintf(&b, "  (event %d)", *d.NewSeq)
	}
	b.WriteByte('\n')
	for _, column := range columns {
		fmt.Fprintf(&b, "    %s: %s → %s\n", column.Column, cellText(column.Old), cellText(column.New))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// cellMax is the number of characters after which a value is cut off.
const cellMax = 100

// cellText returns the text of a value on a line. It quotes values that would not be read as one word.
func cellText(text *string) string {
	if text == nil {
		return "null"
	}
	value := *text
	if runes := []rune(value); len(runes) > cellMax {
		value = string(runes[:cellMax]) + "…"
	}
	if value == "" || value == "null" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }) {
		return fmt.Sprintf("%q", value)
	}
	return value
}
