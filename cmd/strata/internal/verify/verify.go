// Package verify is the command that verifies the log and the read tables.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/transparency"
	"strata/internal/nodecompare"
	"strata/internal/wholeness"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
)

// checkpointMax is the maximum size of a checkpoint file, in bytes.
const checkpointMax = 1 << 20

// Command is strata verify.
type Command struct {
	Database database.Flags `embed:"" group:"Database:"`

	Against     []string `type:"path" sep:"none" placeholder:"FILE" help:"Checkpoint of this log that you have kept; repeat the flag for more than one."`
	Key         []string `placeholder:"KEY,..." help:"Verifier keys to trust for the log's checkpoints (empty = the keys on this machine, else the key that the first checkpoint names)."`
	LogKey      string   `type:"path" env:"STRATA_LOG_KEY" placeholder:"FILE" help:"File of the key that signs the log on this machine (empty = the file in the data directory, if there is one). Its key is trusted without --key, and the checkpoint beside it is compared, too."`
	LogOnly     bool     `help:"Verify the log only, not the read tables."`
	Rows        []string `placeholder:"NAME,..." help:"Verify the rows of these projections only, not the log."`
	NodeOnly    bool     `help:"Compare with the node only (--against-node)."`
	AgainstNode string   `placeholder:"URL" help:"RPC address of a Stacks node with which to compare STX balances, locks and nonces, such as http://127.0.0.1:20443."`
	Sample      int      `default:"1000" help:"Number of accounts to compare with the node, chosen at random."`
	Seed        int64    `help:"Seed that chooses the accounts; the seed of an earlier run chooses the same ones (0 = random)."`
	AllAccounts bool     `help:"Compare all accounts with the node."`
	Parallel    int      `help:"Number of workers that read and hash events (0 = one per processor)."`
	Limit       int      `default:"1000" help:"Maximum number of differences to print; the rest is only counted."`
	JSON        bool     `name:"json" help:"Print JSON."`
	ForkChoice  string   `default:"recommended" enum:"recommended,reference" env:"STRATA_FORK_CHOICE" help:"Rule that selects the canonical chain on the server that filled the read tables: recommended or reference."`
}

// Validate checks the flags and their combination; kong calls it.
func (c *Command) Validate() error {
	skipsLog := c.NodeOnly || len(c.Rows) > 0
	switch {
	case c.LogOnly && skipsLog || c.NodeOnly && len(c.Rows) > 0:
		return errors.New("--log-only, --rows and --node-only can't be used together: each excludes the others")
	case c.NodeOnly && c.AgainstNode == "":
		return errors.New("--node-only: name the node with --against-node")
	case skipsLog && len(c.Against)+len(c.Key) > 0:
		return errors.New("--against and --key are about the log, which --rows and --node-only skip")
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

// Run verifies and prints a report. It returns an error if there are differences or if a part could not be checked.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	report := newReport(c.Limit)
	err := c.verify(ctx, globals.Logger(), report)
	if printErr := report.print(os.Stdout, c.JSON, err); printErr != nil && err == nil {
		err = printErr
	}
	if report.Differences > 0 {
		return program.MismatchError{Err: &differencesError{count: report.Differences, cause: err}}
	}
	return err
}

// verify checks each part. A part that fails does not prevent the next ones, unless ctx is done.
func (c *Command) verify(ctx context.Context, logger *slog.Logger, report *report) error {
	kept, err := readKept(c.Against)
	if err != nil {
		return err
	}
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	var errs []error
	if len(c.Rows) == 0 && !c.NodeOnly {
		errs = append(errs, c.verifyLog(ctx, db, kept, report))
	}
	if !c.LogOnly && !c.NodeOnly && ctx.Err() == nil {
		errs = append(errs, c.verifyRows(ctx, db, logger, report))
	}
	if c.AgainstNode != "" && ctx.Err() == nil {
		errs = append(errs, c.compareNode(ctx, db, report))
	}
	if !c.LogOnly && ctx.Err() == nil {
		errs = append(errs, checkHistory(ctx, db, report))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// checkHistory adds what the log lacks. A gap is an error: nothing above it was verified.
func checkHistory(ctx context.Context, db *database.DB, report *report) error {
	size, err := db.Log.Size(ctx)
	if err != nil || size == 0 {
		return err
	}
	facts, err := wholeness.Read(ctx, db.Pool)
	if err != nil {
		return err
	}
	report.Problems = append(report.Problems, facts.Problems()...)
	if facts.Gaps > 0 {
		return errors.New("incomplete: blocks are missing, and nothing above them could be verified")
	}
	return nil
}

// readKept reads checkpoints from files.
func readKept(files []string) (kept []transparency.Kept, err error) {
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Size() > checkpointMax {
			err = &fs.PathError{Op: "read", Path: file, Err: fmt.Errorf("%d bytes are too many for a checkpoint", info.Size())}
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

func (c *Command) verifyLog(ctx context.Context, db *database.DB, kept []transparency.Kept, report *report) error {
	log, err := transparency.New(transparency.Config{Pool: db.Pool})
	if err != nil {
		return err
	}
	keys := c.Key
	own, files, err := audit.OnThisMachine(ctx, db.Pool, c.Database.DataDir, c.LogKey)
	if err != nil {
		return fmt.Errorf("--log-key: %w", err)
	}
	if len(keys) == 0 {
		keys = own
	}
	beside, err := readKept(files)
	if err != nil {
		return err
	}
	kept = append(kept, beside...)
	bar := program.NewBar("log", "events")
	defer bar.Done()
	verified, err := log.Verify(ctx, transparency.VerifyConfig{
		Keys: keys, Kept: kept, Workers: c.Parallel,
		Finding:  func(f transparency.Finding) { report.add(&difference{Log: &f}) },
		Progress: bar.Show,
	})
	if errors.Is(err, transparency.ErrNoKey) {
		return fmt.Errorf("--against: %w (--key)", err)
	}
	if err != nil {
		return err
	}
	report.Log = newVerifiedLog(verified, len(kept))
	report.Log.ownKeys = len(c.Key) == 0 && len(own) > 0
	return nil
}

// verifyRows folds the log again, and compares the rows with the active read tables.
func (c *Command) verifyRows(ctx context.Context, db *database.DB, logger *slog.Logger, report *report) error {
	// What the folds had to say they said when the log was folded first.
	lines, err := folding.Lines(c.ForkChoice, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	active, err := version.Active(ctx, db.Pool)
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
	bar := program.NewBar("rows", "steps")
	defer bar.Done()
	err = follow.VerifyRows(ctx, db.Log, lines, follow.VerifyRowsOptions{
		Names: c.Rows, Logger: logger,
		Progress: func(done, total int64) { bar.Show(done, total, 0) },
		Difference: func(name string, d version.Difference) bool {
			schema := projections.Schema{Name: name, Version: active[name]}.String()
			rows.Differences++
			return report.add(&difference{Row: newRowDifference(schema, d)})
		},
	})
	if err != nil {
		return err
	}
	if err := c.verifyBuildDependent(ctx, db, lines, active, report, rows); err != nil {
		return err
	}
	report.Rows = rows
	return nil
}

// verifyBuildDependent checks the tables that a comparison leaves out, because their rows also depend on how many events
// were folded at once: lists are paged with them. Their checks compare them with the other tables.
func (c *Command) verifyBuildDependent(ctx context.Context, db *database.DB, lines projections.Lines, active map[string]int, report *report, rows *verifiedRows) error {
	for _, d := range lines.Definitions() {
		number, ok := active[d.Spec.Name]
		if !ok || len(c.Rows) > 0 && !slices.Contains(c.Rows, d.Spec.Name) {
			continue
		}
		schema := projections.Schema{Name: d.Spec.Name, Version: number}
		findings, err := version.CheckBuildDependent(ctx, db.Pool, d, schema)
		if err != nil {
			return err
		}
		for _, f := range findings {
			rows.Differences++
			report.add(&difference{Check: &checkDifference{Tables: schema.String(), Finding: f}})
		}
	}
	return nil
}

// compareNode compares accounts with a node.
func (c *Command) compareNode(ctx context.Context, db *database.DB, report *report) (err error) {
	bar := program.NewBar("node", "accounts")
	defer bar.Done()
	report.Node, err = nodecompare.Compare(ctx, db.Pool, nodecompare.Options{
		URL: c.AgainstNode, Sample: c.Sample, Seed: c.Seed, All: c.AllAccounts,
		Difference: func(d nodecompare.Difference) { report.add(&difference{Account: &d}) },
		Progress:   func(compared, total int64) { bar.Show(compared, total, 0) },
	})
	return err
}

// differencesError reports the number of differences that a verification has found.
type differencesError struct {
	count int64
	cause error // why a part could not be checked; nil if all were
}

func (e *differencesError) Error() string {
	text := fmt.Sprintf("%d differences found", e.count)
	if e.count == 1 {
		text = "1 difference found"
	}
	if e.cause != nil {
		text += ", and not everything could be checked: " + strings.TrimSpace(program.OneLine(e.cause))
	}
	return text
}

func (e *differencesError) Unwrap() error { return e.cause }
