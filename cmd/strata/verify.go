package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"

	"strata/eventstore/transparency"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
)

// checkpointMax is the largest file that is read as a checkpoint.
const checkpointMax = 1 << 20

type verifyCommand struct {
	databaseFlags `embed:"" group:"Database:"`

	Against     []string `type:"path" sep:"none" placeholder:"FILE" help:"A checkpoint of this log that was kept; may be given several times."`
	Key         []string `placeholder:"KEY,..." help:"Verifier keys that the log's checkpoints may be signed with; empty: the one that its first checkpoint names."`
	LogOnly     bool     `help:"Check the log, and not the read tables."`
	Rows        []string `placeholder:"NAME,..." help:"Compare the rows of these projections only, and don't check the log."`
	NodeOnly    bool     `help:"Compare with the node only."`
	AgainstNode string   `placeholder:"URL" help:"RPC address of a Stacks node to compare STX balances and nonces with, such as http://127.0.0.1:20443."`
	Sample      int      `default:"1000" help:"How many accounts are compared with the node's, chosen at random."`
	Seed        int64    `help:"Choose the accounts that an earlier verification with this seed has chosen; 0: others each time."`
	AllAccounts bool     `help:"Compare all accounts with the node's."`
	Parallel    int      `help:"Workers that read and hash; 0: as many as there are processors."`
	Limit       int      `default:"1000" help:"Differences to print; how many more there are is counted."`
	JSON        bool     `name:"json" help:"Print JSON."`
	ForkChoice  string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"How the server that has filled the read tables chooses the canonical chain."`
}

// Validate refuses what makes no sense together.
func (c *verifyCommand) Validate() error {
	logLeftOut := c.NodeOnly || len(c.Rows) > 0
	switch {
	case c.LogOnly && logLeftOut || c.NodeOnly && len(c.Rows) > 0:
		return errors.New("--log-only, --rows and --node-only can't be used together: each leaves out the others")
	case c.NodeOnly && c.AgainstNode == "":
		return errors.New("--node-only: name the node with --against-node")
	case logLeftOut && len(c.Against)+len(c.Key) > 0:
		return errors.New("--against and --key are about the log, which --rows and --node-only leave out")
	case c.Sample < 1 && !c.AllAccounts:
		return fmt.Errorf("--sample: %d accounts (want 1 or more)", c.Sample)
	case c.Limit < 1:
		return fmt.Errorf("--limit: %d differences (want 1 or more)", c.Limit)
	case c.Parallel < 0:
		return fmt.Errorf("--parallel: %d workers (want 1 or more, or 0 for as many as there are processors)", c.Parallel)
	case c.Seed < 0:
		return fmt.Errorf("--seed: %d (want 1 or more)", c.Seed)
	}
	if c.AgainstNode != "" {
		if u, err := url.Parse(c.AgainstNode); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("--against-node: %q is not the address of a node, such as http://127.0.0.1:20443", c.AgainstNode)
		}
	}
	return nil
}

// Run verifies, prints what it has found, and fails when there is a difference or when something could not be checked.
func (c *verifyCommand) Run(ctx context.Context, globals *Globals) error {
	report := newVerifyReport(c.Limit)
	err := c.verify(ctx, globals.logger(), report)
	if printErr := report.print(os.Stdout, c.JSON, err); printErr != nil && err == nil {
		err = printErr
	}
	if report.Differences > 0 {
		return &differencesError{count: report.Differences, cause: err}
	}
	return err
}

// verify checks each part. What keeps one from being checked does not keep the others, unless it is the end of ctx.
func (c *verifyCommand) verify(ctx context.Context, logger *slog.Logger, report *verifyReport) error {
	kept, err := c.kept()
	if err != nil {
		return err
	}
	db, err := c.open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.close(logger)
	var errs []error
	if len(c.Rows) == 0 && !c.NodeOnly {
		errs = append(errs, c.verifyLog(ctx, db, kept, report))
	}
	if !c.LogOnly && !c.NodeOnly && ctx.Err() == nil {
		errs = append(errs, c.verifyRows(ctx, db, logger, report))
	}
	if c.AgainstNode != "" && ctx.Err() == nil {
		errs = append(errs, c.verifyNode(ctx, db, report))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// kept reads the checkpoints that were kept outside.
func (c *verifyCommand) kept() (kept []transparency.Kept, err error) {
	for _, file := range c.Against {
		info, err := os.Stat(file)
		if err == nil && info.Size() > checkpointMax {
			err = &fs.PathError{Op: "read", Path: file, Err: fmt.Errorf("%d bytes are no checkpoint", info.Size())}
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, fmt.Errorf("--against: %w", err)
		}
		kept = append(kept, transparency.Kept{Name: file, Note: text})
	}
	return kept, nil
}

func (c *verifyCommand) verifyLog(ctx context.Context, db *database, kept []transparency.Kept, report *verifyReport) error {
	log, err := transparency.New(transparency.Config{Pool: db.pool})
	if err != nil {
		return err
	}
	bar := newVerifyBar("log", "events")
	defer bar.done()
	verified, err := log.Verify(ctx, transparency.VerifyConfig{
		Keys: c.Key, Kept: kept, Workers: c.Parallel,
		Finding:  func(f transparency.Finding) { report.add(&verifyDifference{Log: &f}) },
		Progress: bar.show,
	})
	if errors.Is(err, transparency.ErrNoKey) {
		return fmt.Errorf("--against: %w (--key)", err)
	}
	if err != nil {
		return err
	}
	report.Log = newVerifiedLog(verified, len(kept))
	return nil
}

// verifyRows folds the log anew, and compares.
func (c *verifyCommand) verifyRows(ctx context.Context, db *database, logger *slog.Logger, report *verifyReport) error {
	lines, err := newLines(c.ForkChoice, logger, nil)
	if err != nil {
		return err
	}
	active, err := activeVersions(ctx, db.pool)
	if err != nil {
		return err
	}
	rows := &verifiedRows{}
	for _, d := range lines.Definitions() {
		if v, ok := active[d.Spec.Name]; ok && (len(c.Rows) == 0 || slices.Contains(c.Rows, d.Spec.Name)) {
			rows.Tables = append(rows.Tables, projections.Schema{Name: d.Spec.Name, Version: v}.String())
		}
	}
	for _, name := range c.Rows {
		if _, err := lines.Definition(name); err != nil {
			return fmt.Errorf("--rows: %w", err)
		}
		if _, ok := active[name]; !ok {
			return fmt.Errorf("--rows: projection %q has no tables in this database", name)
		}
	}
	bar := newVerifyBar("rows", "steps")
	defer bar.done()
	err = follow.VerifyRows(ctx, db.log, lines, follow.VerifyRowsOptions{
		Names: c.Rows, Logger: logger,
		Progress: func(done, total int64) { bar.show(done, total, 0) },
		Difference: func(name string, d version.Difference) bool {
			schema := projections.Schema{Name: name, Version: active[name]}.String()
			rows.Differences++
			return report.add(&verifyDifference{Row: newRowDifference(schema, d)})
		},
	})
	if err != nil {
		return err
	}
	report.Rows = rows
	return nil
}

// newSeed chooses accounts that nobody could foresee.
func newSeed() int64 { return rand.Int64N(1 << 31) }

// differencesError says that a verification has found differences.
type differencesError struct {
	count int64
	cause error // what could not be checked
}

func (e *differencesError) Error() string {
	text := fmt.Sprintf("%d differences found", e.count)
	if e.count == 1 {
		text = "1 difference found"
	}
	if e.cause != nil {
		text += ", and not everything could be checked: " + strings.TrimSpace(oneLine(e.cause))
	}
	return text
}

func (*differencesError) differs() {}

func (e *differencesError) Unwrap() error { return e.cause }
