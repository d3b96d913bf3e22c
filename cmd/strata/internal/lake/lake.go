// Package lake is strata lake: the views for SQL users as a folder of Parquet files, kept in step with the log.
package lake

import (
	"context"
	"errors"
	"time"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
)

// Command is strata lake.
type Command struct {
	Database database.Flags `embed:"" group:"Database:"`

	Dir           string        `arg:"" type:"path" help:"Folder of the lake. It is made if it is not there."`
	Confirmations int64         `default:"7" help:"How many Bitcoin blocks must follow that of a Stacks block before its rows are written."`
	Span          int64         `default:"10000" help:"Number of heights in a file."`
	Every         time.Duration `default:"0s" help:"Interval at which to write what has become final (0 = once, then end)."`
}

// Run keeps the lake in step.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	if c.Span <= 0 || c.Confirmations < 0 {
		return errors.New("--span must be at least 1, and --confirmations at least 0")
	}
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	w := &Writer{Pool: db.Pool, Dir: c.Dir, Confirmations: c.Confirmations, Span: c.Span, Logger: logger}
	return program.KeepFolder(ctx, c.Dir, "the lake", c.Every, logger, w.Write)
}
