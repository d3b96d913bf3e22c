// Package doctor is the command that checks what a server needs, and says what to do about what is wrong. It changes
// nothing: it neither creates a database nor migrates one.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
)

// Command is strata doctor. Its flags have the names and variables of those of strata serve, so that it looks at what a
// server with the same settings would use.
type Command struct {
	Database   database.Flags `embed:"" group:"Database:"`
	Audit      audit.Flags    `embed:"" group:"Audit:"`
	Nodes      []string       `env:"STRATA_NODES" placeholder:"URL,..." help:"RPC addresses of Stacks nodes (empty = none)."`
	RedisURL   string         `env:"STRATA_REDIS_URL" placeholder:"URL" help:"Redis in which API processes share cached answers (empty = none)."`
	DiskFloor  int64          `default:"268435456" env:"STRATA_DISK_FLOOR" help:"Free space that strata serve keeps on the disk of the database, in bytes."`
	DiskFolder string         `env:"STRATA_DISK_FOLDER" placeholder:"PATH" help:"Folder on that disk (empty = that of the data directory)."`
	Timeout    time.Duration  `default:"10s" placeholder:"TIME" help:"Maximum time to wait for each of the database, a node and Redis (${default})."`
	JSON       bool           `name:"json" help:"Print JSON."`
}

// Level is how a check came out.
type Level string

// Levels, from good to bad.
const (
	OK      Level = "ok"
	Note    Level = "note"    // not wrong, but good to know
	Warning Level = "warning" // works now, and may not later
	Failure Level = "failure"
)

// Check is what was found about one thing.
type Check struct {
	// Subject is what was looked at, such as "database" or "node http://127.0.0.1:20443".
	Subject string `json:"subject"`
	Level   Level  `json:"level"`
	Found   string `json:"found"`
	// Advice says what to do; empty if there is nothing to do.
	Advice string `json:"advice,omitempty"`
}

// examination collects checks.
type examination struct {
	command *Command
	logger  *slog.Logger
	checks  []Check
	seen    seen
}

// seen is what a check leaves for others to compare with.
type seen struct {
	chainID   *uint32    // of the log; nil if it is of no network yet
	height    *int64     // of the canonical tip; nil if there is none
	lastEvent *time.Time // when the newest event arrived; nil if there is none
	hasLog    bool
	gap       bool // blocks are missing, so that the tip stands still
	// anotherChain is set if a version has stopped at the genesis block of another chain.
	anotherChain bool
	// withoutInterface is set if a contract is on the chain whose interface neither its block nor a report has.
	withoutInterface bool
	// calledWithoutInterface is set if a contract is called that nothing in the log deploys, and no report has its interface.
	calledWithoutInterface bool
}

func (x *examination) add(level Level, subject, advice, format string, args ...any) {
	x.checks = append(x.checks, Check{subject, level, program.Visible(fmt.Sprintf(format, args...)), advice})
}

// Run prints what it finds, and fails if anything is wrong.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	// The log lines of a private Postgres that starts for a moment would stand between the answers.
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: max(globals.LogLevel, slog.LevelWarn)}))
	checks := c.examine(ctx, logger)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.print(os.Stdout, checks); err != nil {
		return err
	}
	failures := 0
	for _, check := range checks {
		if check.Level == Failure {
			failures++
		}
	}
	switch failures {
	case 0:
		return nil
	case 1:
		return errors.New("one thing is wrong; see above")
	}
	return fmt.Errorf("%d things are wrong; see above", failures)
}

func (c *Command) examine(ctx context.Context, logger *slog.Logger) []Check {
	x := &examination{command: c, logger: logger}
	x.database(ctx)
	x.disk()
	x.nodes(ctx)
	x.redis(ctx)
	return x.checks
}

func (c *Command) print(w io.Writer, checks []Check) error {
	if c.JSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(checks)
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, check := range checks {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", strings.ToUpper(string(check.Level)), check.Subject, check.Found)
		for line := range strings.Lines(check.Advice) {
			_, _ = fmt.Fprintf(table, "\t\t→ %s\n", strings.TrimRight(line, "\n"))
		}
	}
	_ = table.Flush()
	_, err := io.WriteString(w, text.String())
	return err
}
