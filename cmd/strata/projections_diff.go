package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"strata/projections"
	"strata/projections/version"
)

type projectionsDiffCommand struct {
	databaseFlags      `embed:"" group:"Database:"`
	projectionArgument `embed:""`

	V1    int  `arg:"" name:"v1" help:"The version whose rows count as the old ones."`
	V2    int  `arg:"" name:"v2" help:"The version whose rows count as the new ones."`
	JSON  bool `help:"Print a line of JSON for each row."`
	Limit int  `help:"Rows at most; 0 for all."`
}

// Run prints the rows that differ, and fails when there are any.
func (c *projectionsDiffCommand) Run(ctx context.Context, globals *Globals) error {
	return c.with(ctx, globals, func(db *database, lines projections.Lines) error {
		d, err := lines.Definition(c.Name)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(os.Stdout)
		rows, err := c.compare(ctx, db, d, out)
		if flushErr := out.Flush(); err == nil {
			err = flushErr
		}
		switch {
		case err != nil:
			return err
		case rows > 0 && rows == c.Limit:
			return unlikeError{fmt.Errorf("versions %d and %d of %s differ, in %d rows or more", c.V1, c.V2, c.Name, rows)}
		case rows > 0:
			return unlikeError{fmt.Errorf("versions %d and %d of %s differ in %d rows", c.V1, c.V2, c.Name, rows)}
		case !c.JSON:
			fmt.Printf("versions %d and %d of %s have the same rows\n", c.V1, c.V2, c.Name)
		}
		return nil
	})
}

// compare writes the rows that differ, and says how many there are.
func (c *projectionsDiffCommand) compare(ctx context.Context, db *database, d projections.Definition, out io.Writer) (rows int, err error) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var failed error
	err = version.Diff(ctx, db.pool, d, c.V1, c.V2, func(difference version.Difference) bool {
		rows++
		if c.JSON {
			failed = encoder.Encode(difference)
		} else {
			failed = writeDifference(out, difference)
		}
		return failed == nil && rows != c.Limit
	})
	if err == nil {
		err = failed
	}
	return rows, err
}

// writeDifference writes a row as lines: what it is, and each column that differs.
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
		fmt.Fprintf(&b, " %s=%s", key.Column, shown(key.Text))
	}
	switch {
	case d.OldSeq != nil && d.NewSeq != nil && *d.OldSeq != *d.NewSeq:
		fmt.Fprintf(&b, "  (event %d, and %d)", *d.OldSeq, *d.NewSeq)
	case d.OldSeq != nil:
		fmt.Fprintf(&b, "  (event %d)", *d.OldSeq)
	case d.NewSeq != nil:
		fmt.Fprintf(&b, "  (event %d)", *d.NewSeq)
	}
	b.WriteByte('\n')
	for _, column := range columns {
		fmt.Fprintf(&b, "    %s: %s → %s\n", column.Column, shown(column.Old), shown(column.New))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// shownMax is how much of a long value is printed.
const shownMax = 100

// shown is a value on a line: quoted when it would not be read as one word.
func shown(text *string) string {
	if text == nil {
		return "null"
	}
	value := *text
	if runes := []rune(value); len(runes) > shownMax {
		value = string(runes[:shownMax]) + "…"
	}
	if value == "" || value == "null" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }) {
		return fmt.Sprintf("%q", value)
	}
	return value
}
