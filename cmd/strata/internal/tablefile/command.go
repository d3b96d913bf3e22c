package tablefile

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
)

// Command is strata export-table.
type Command struct {
	Database database.Flags `embed:"" group:"Database:"`

	Name   string `arg:"" help:"View of schema api, such as ft_balances, or projection.table, such as chain.block."`
	Format string `default:"parquet" enum:"parquet,csv,ndjson" help:"Format of the file: parquet, csv or ndjson. Amounts are decimal text in all of them, as they can have 39 digits."`
	At     *int64 `placeholder:"HEIGHT" help:"Export the state as of the Stacks block at this height (default the newest block), of views that have a history."`
	Out    string `short:"o" default:"-" help:"File to write; - writes to standard output."`
}

// Run writes the file.
func (c *Command) Run(ctx context.Context, globals *program.Globals) (err error) {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	file := os.Stdout
	if c.Out != "-" {
		if file, err = os.Create(c.Out); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(file, 1<<20)
	result, err := Export(ctx, db.Pool, out, Options{Name: c.Name, Format: c.Format, At: c.At})
	if err == nil {
		err = out.Flush()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		if c.Out != "-" {
			_ = os.Remove(c.Out) // half a table must not pass for a whole one
		}
		return fmt.Errorf("export %s: %w", c.Name, err)
	}
	fmt.Fprintf(os.Stderr, "exported %d rows of %s as of event %s of the log\n", result.Rows, result.Relation, result.Facts["strata.log_seq"])
	return nil
}
