package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/projections/version"
)

type importCommand struct {
	Database database.Flags `embed:"" group:"Database:"`

	Files      []string `arg:"" name:"file" help:"Archives to import (.tsv or .tsv.gz), oldest events first; - reads standard input."`
	Append     bool     `help:"Allow a log that holds other events, and append after them."`
	Wait       bool     `help:"Fold the imported events, and return when the read tables have caught up."`
	Dialect    string   `default:"auto" enum:"auto,copy,raw" help:"Escaping of payloads: copy (COPY text format), raw (none) or auto (detect from the file's content)."`
	AnyPayload bool     `help:"Accept payloads that are not JSON."`
	ForkChoice string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"Rule that selects the canonical chain while --wait folds: recommended or reference."`
}

// Run imports the archives, and with --wait folds the imported events.
func (c *importCommand) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	dialect, err := archive.ParseDialect(c.Dialect)
	if err != nil {
		return err
	}
	options := importer.Options{
		Files: c.Files, Append: c.Append, Dialect: dialect, AnyPayload: c.AnyPayload,
		DataDir: db.DataDir, Progress: importer.NewProgress(os.Stderr), Logger: logger,
	}
	if _, err := importer.Import(ctx, db.Log, options); err != nil {
		return err
	}
	if !c.Wait {
		return nil
	}
	return c.fold(ctx, db, logger)
}

// fold runs the projections in this process until they have caught up. A running server may fold at the same time: they
// share the work, and each event is folded once.
func (c *importCommand) fold(ctx context.Context, db *database.DB, logger *slog.Logger) error {
	runner, err := folding.NewRunner(db.Log, c.ForkChoice, false, nil, nil, logger, prometheus.NewRegistry())
	if err != nil {
		return err
	}
	if err := runner.Register(ctx); err != nil {
		return err
	}
	defer folding.Start(ctx, runner)()
	return version.WaitUntilCaughtUp(ctx, db.Pool, func(statuses []version.Status) {
		for _, s := range statuses {
			if s.Lag() > 0 {
				fmt.Fprintf(os.Stderr, "%s: %d of %d\n", s.Name, s.Position, s.Head)
			}
		}
	}, 5*time.Second)
}
