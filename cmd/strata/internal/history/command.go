// Package history is strata history: a log and its chain as signed files, to publish, to check, and to begin from.
package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/history"
	"strata/eventstore/network"
)

// Command is strata history.
type Command struct {
	Publish   publish   `cmd:"" help:"Write the log and its canonical chain into a folder, as files that are signed and never change; run again, it adds what is new."`
	Verify    verify    `cmd:"" help:"Check a history: its signature, hashes, Merkle root, and that its chain has no holes; or compare its chain with that of another, or of the database (exit code 3 = they differ)."`
	Bootstrap bootstrap `cmd:"" help:"Bring the log of a history into an empty database, or its chain if it has no more, and its read tables if it has them; run again after an interruption, it resumes."`
	Repair    repair    `cmd:"" help:"Append the blocks that the log lacks, from histories that have them (exit code 1 = some are still missing)."`
}

// publish is strata history publish.
type publish struct {
	Database database.Flags `embed:"" group:"Database:"`
	audit.Flags

	Dir           string        `arg:"" type:"path" help:"Folder of the history. It is made if it is not there."`
	Confirmations int64         `default:"7" help:"How many Bitcoin blocks must follow that of a Stacks block before it is published."`
	Tables        bool          `help:"Publish the read tables, too, as they are now, so that others need not fold them. It takes as long as to read them all; what is published without it later keeps those tables."`
	WithoutLog    bool          `help:"Publish only the canonical chain, and not the events as they were received."`
	Every         time.Duration `default:"0s" help:"Interval at which to publish what is new (0 = once, then end)."`
}

// Run publishes.
func (c *publish) Run(ctx context.Context, globals *program.Globals) error {
	if c.Confirmations < 0 {
		return errors.New("--confirmations must be at least 0")
	}
	if c.Tables && c.WithoutLog {
		return errors.New("--tables, --without-log: tables are of use with the log that they were folded from")
	}
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	p, err := c.publisher(ctx, db, logger)
	if err != nil {
		return err
	}
	return program.KeepFolder(ctx, c.Dir, "the history", c.Every, logger, func(ctx context.Context) error {
		m, err := p.Publish(ctx)
		if err == nil {
			logger.LogAttrs(ctx, slog.LevelInfo, "the history is published", slog.Int64("events", m.Log.Last), slog.Int64("height", m.Chain.Last))
		}
		return err
	})
}

func (c *publish) publisher(ctx context.Context, db *database.DB, logger *slog.Logger) (*history.Publisher, error) {
	of, known, err := network.Find(ctx, db.Log)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errors.New("the log has nothing yet that tells its network")
	}
	log, err := c.OpenLog(ctx, db.Log, nil, db.DataDir, true, logger)
	if err != nil {
		return nil, err
	}
	chain := &chainPublisher{log: db.Log, confirmations: c.Confirmations, perFile: heightsPerFile, logger: logger}
	p := &history.Publisher{
		Log: db.Log, Transparency: log, Key: log.Key(), Dir: history.NewDir(c.Dir), Network: of.Name(), ChainID: of.ChainID,
		WithoutLog: c.WithoutLog, Chain: chain.publish, Heights: chain.heights, Logger: logger,
	}
	if c.Tables {
		p.Tables = folding.CopyTables(db.Pool, logger)
	}
	return p, nil
}

// trust says whose histories are believed.
type trust struct {
	Key       string   `placeholder:"KEY" help:"Verifier key of the publisher, as strata log-key prints it there."`
	Unsigned  bool     `help:"Accept a history that anybody has signed."`
	Witnesses []string `placeholder:"KEY,..." help:"Verifier keys of witnesses that must have cosigned the checkpoint of the history."`
}

func (t *trust) open(ctx context.Context, name string) (*history.Opened, error) {
	return history.OpenAt(ctx, name, history.Trust{Key: t.Key, Unsigned: t.Unsigned, Witnesses: t.Witnesses})
}

// verify is strata history verify.
type verify struct {
	trust
	Database database.Flags `embed:"" group:"Database:"`

	URL   string `arg:"" help:"History: a folder, or the address of one at an HTTP server."`
	Other string `arg:"" optional:"" help:"Another history, of whatever publisher, to compare the canonical chain with."`
	Log   bool   `help:"Compare the canonical chain with that of the database."`
}

// Run verifies.
func (c *verify) Run(ctx context.Context, globals *program.Globals) error {
	download, err := os.MkdirTemp("", "strata-history-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(download) }()
	one, err := c.open(ctx, c.URL)
	if err != nil {
		return err
	}
	if c.Log {
		return c.compareWithLog(ctx, one, download, globals.Logger())
	}
	if c.Other != "" {
		other, err := (&trust{Unsigned: true}).open(ctx, c.Other)
		if err != nil {
			return err
		}
		return compare(ctx, one, other, history.VerifyOptions{Download: download})
	}
	bar := program.NewBar("chain", "bytes")
	err = one.VerifyChain(ctx, history.VerifyOptions{Download: download, Progress: func(done, total int64) { bar.Show(done, total, done) }})
	bar.Done()
	if err != nil {
		return err
	}
	bar = program.NewBar("log", "bytes")
	err = one.VerifyLog(ctx, history.VerifyOptions{Download: download, Progress: func(done, total int64) { bar.Show(done, total, done) }})
	bar.Done()
	if err != nil {
		return err
	}
	if err := one.VerifyTables(ctx, history.VerifyOptions{Download: download}); err != nil {
		return err
	}
	fmt.Printf("The history of %s is whole: blocks %d to %d of %s, and %d events with the root %s.\n", one.Key, one.Chain.First, one.Chain.Last, one.Network, one.Log.Last, one.Root)
	return nil
}

func compare(ctx context.Context, one, other *history.Opened, options history.VerifyOptions) error {
	if one.Network != other.Network || one.ChainID != other.ChainID {
		return fmt.Errorf("%s is of %s with chain id %d, and %s of %s with %d", one.Source, one.Network, one.ChainID, other.Source, other.Network, other.ChainID)
	}
	last, err := history.CompareChains(ctx, one, other, options)
	if err != nil {
		return mismatch(err)
	}
	fmt.Printf("The chains are the same up to height %d; one ends at %d, the other at %d.\n", last, one.Chain.Last, other.Chain.Last)
	return nil
}

// mismatch gives a difference its exit code.
func mismatch(err error) error {
	var difference *history.DifferenceError
	if errors.As(err, &difference) {
		return program.MismatchError{Err: err}
	}
	return err
}

// compareWithLog compares the canonical chain of a history with that of a database.
func (c *verify) compareWithLog(ctx context.Context, one *history.Opened, download string, logger *slog.Logger) error {
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	own := &chainPublisher{log: db.Log, perFile: heightsPerFile, logger: logger}
	last, err := own.compare(ctx, one, download)
	if err != nil {
		return mismatch(err)
	}
	fmt.Printf("The chain of the database is that of %s up to height %d.\n", one.Source, last)
	return nil
}

// bootstrap is strata history bootstrap.
type bootstrap struct {
	Database database.Flags       `embed:"" group:"Database:"`
	Writer   database.WriterFlags `embed:"" group:"Database:"`
	trust

	URL  string `arg:"" help:"History: a folder, or the address of one at an HTTP server."`
	Fold bool   `help:"Leave the read tables to be folded from the log, also where the history has them."`
}

// Run brings the log, and the tables.
func (c *bootstrap) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Create(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	if err := c.Writer.Check(ctx, db); err != nil {
		return err
	}
	opened, err := c.open(ctx, c.URL)
	if err != nil {
		return err
	}
	if err := folding.Bring(ctx, db.Log, opened, folding.BringOptions{DataDir: c.Database.DataDir, Fold: c.Fold, Logger: logger}); err != nil {
		return fmt.Errorf("bring the history at %s: %w", opened.Source, err)
	}
	return nil
}

// repair is strata history repair.
type repair struct {
	Database database.Flags       `embed:"" group:"Database:"`
	Writer   database.WriterFlags `embed:"" group:"Database:"`
	trust

	URLs []string `arg:"" name:"url" help:"Histories to look in, one after the other: folders, or addresses of them at HTTP servers."`
}

// Run looks for what is missing, and appends what it finds.
func (c *repair) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	if err := errors.Join(c.Writer.Check(ctx, db), history.CheckWhole(ctx, db.Log)); err != nil {
		return err
	}
	holes, err := folding.FindHoles(ctx, db.Log)
	if err != nil {
		return err
	}
	if len(holes) == 0 {
		fmt.Println("No blocks are missing.")
		return nil
	}
	download, err := os.MkdirTemp("", "strata-history-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(download) }()
	for _, h := range holes {
		for _, url := range c.URLs {
			opened, err := c.open(ctx, url)
			if err != nil {
				return err
			}
			events, err := h.Fill(ctx, db.Log, opened, download)
			if err != nil {
				return err
			}
			fmt.Printf("Missing blocks %d to %d: appended %d events from %s.\n", h.First, h.Last, events, opened.Source)
			if h.Left() == 0 {
				break
			}
		}
		if h.Left() > 0 {
			err = errors.Join(err, fmt.Errorf("missing blocks %d to %d: no history has those at %d of the heights", h.First, h.Last, h.Left()))
		}
	}
	return err
}
