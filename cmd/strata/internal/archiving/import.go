// Package archiving is the commands that read archives of events into the log, and write them.
package archiving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/archive"
	"strata/eventstore/history"
	"strata/eventstore/importer"
	"strata/eventstore/network"
	"strata/projections/version"
)

// Import is strata import.
type Import struct {
	Database database.Flags       `embed:"" group:"Database:"`
	Writer   database.WriterFlags `embed:"" group:"Database:"`

	Files          []string `arg:"" optional:"" name:"file" help:"Archives to import (.tsv or .tsv.gz), oldest events first; - reads standard input."`
	BNSv1          string   `name:"bns-v1" type:"existingdir" placeholder:"DIR" help:"Import the published export of Stacks 1.0 from a folder: its namespaces, names, subdomains and zonefiles. Each file has its SHA-256 beside it."`
	Append         bool     `help:"Allow a log that holds other events, and append after them."`
	Wait           bool     `help:"Fold the imported events, and return when the read tables have caught up."`
	Dialect        string   `default:"auto" enum:"auto,copy,raw" help:"Escaping of payloads: copy (COPY text format), raw (none) or auto (detect from the file's content)."`
	AnyPayload     bool     `help:"Accept payloads that are not JSON."`
	PartialHistory bool     `env:"STRATA_PARTIAL_HISTORY" help:"Let the chain begin with any block, where the archives lack genesis: for recordings and tests. Balances then lack what happened before, and every answer says so. It lasts: the log is marked."`
	ForkChoice     string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"Rule that selects the canonical chain while --wait folds: recommended or reference."`
}

// Run imports the archives, and with --wait folds the imported events.
func (c *Import) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Create(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	if err := c.Writer.Check(ctx, db); err != nil {
		return err
	}
	if err := history.CheckWhole(ctx, db.Log); err != nil {
		return err
	}
	dialect, err := archive.ParseDialect(c.Dialect)
	if err != nil {
		return err
	}
	if c.PartialHistory {
		if _, err := network.BeginAnywhere(ctx, db.Log); err != nil {
			return err
		}
	}
	if c.BNSv1 != "" {
		if err := c.importBNSv1(ctx, db, logger); err != nil {
			return err
		}
	}
	if len(c.Files) > 0 {
		if err := c.importFiles(ctx, db, dialect, logger); err != nil {
			return err
		}
	}
	if !c.Wait {
		return nil
	}
	return c.fold(ctx, db, logger)
}

// Validate checks that there is something to import.
func (c *Import) Validate() error {
	if len(c.Files) == 0 && c.BNSv1 == "" {
		return errors.New("nothing to import: name archives, or the folder of the export of Stacks 1.0 with --bns-v1")
	}
	if len(c.Files) > 0 && c.BNSv1 != "" {
		return errors.New("import archives and the export of Stacks 1.0 one after the other: leave out the files, or --bns-v1")
	}
	return nil
}

func (c *Import) importBNSv1(ctx context.Context, db *database.DB, logger *slog.Logger) error {
	_, err := importer.ImportBNSv1(ctx, db.Log, importer.BNSv1Options{Dir: c.BNSv1, Progress: importer.NewProgress(os.Stderr), Logger: logger})
	return err
}

func (c *Import) importFiles(ctx context.Context, db *database.DB, dialect archive.Dialect, logger *slog.Logger) error {
	guard, err := network.NewGuard(ctx, db.Log)
	if err != nil {
		return err
	}
	options := importer.Options{
		Admit: guard.Admit,
		Files: c.Files, Append: c.Append, Dialect: dialect, AnyPayload: c.AnyPayload,
		DataDir: db.DataDir, Progress: importer.NewProgress(os.Stderr), Logger: logger,
	}
	_, err = importer.Import(ctx, db.Log, options)
	return err
}

// fold runs the projections in this process until they have caught up. A running server may fold at the same time: they
// share the work, and each event is folded once.
func (c *Import) fold(ctx context.Context, db *database.DB, logger *slog.Logger) error {
	registry := prometheus.NewRegistry()
	lines, err := folding.Lines(c.ForkChoice, logger, registry)
	if err != nil {
		return err
	}
	runner := folding.NewRunner(db.Log, lines, false, nil, nil, nil, logger, registry)
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
