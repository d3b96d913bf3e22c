package main

import (
	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/archiving"
	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/completion"
	"strata/cmd/strata/internal/demo"
	"strata/cmd/strata/internal/differences"
	"strata/cmd/strata/internal/doctor"
	"strata/cmd/strata/internal/health"
	"strata/cmd/strata/internal/history"
	"strata/cmd/strata/internal/lake"
	"strata/cmd/strata/internal/openapi"
	"strata/cmd/strata/internal/program"
	"strata/cmd/strata/internal/proof"
	"strata/cmd/strata/internal/reset"
	"strata/cmd/strata/internal/serve"
	"strata/cmd/strata/internal/settings"
	"strata/cmd/strata/internal/simulate"
	"strata/cmd/strata/internal/sqlrole"
	"strata/cmd/strata/internal/tablefile"
	"strata/cmd/strata/internal/tokens"
	"strata/cmd/strata/internal/trace"
	"strata/cmd/strata/internal/verify"
	"strata/cmd/strata/internal/versions"
)

// cli is the command line. Each command has a package below internal or, if it is small, a file of its own. Every setting
// of serve has an environment variable, too.
type cli struct {
	program.Globals `embed:"" group:"Log lines:"`

	Serve       serve.Command       `cmd:"" help:"Receive events, keep the read tables up to date and serve the API."`
	Import      archiving.Import    `cmd:"" help:"Import archives of events into the log; run again after an interruption, it resumes."`
	Export      archiving.Export    `cmd:"" help:"Export the events of the log as an archive."`
	Projections versions.Command    `cmd:"" help:"Inspect, rebuild, compare, activate and drop versions of the read tables."`
	Tokens      tokens.Command      `cmd:"" help:"Fetch token metadata again: tokens, what failed, contracts that are not recognised."`
	ExportTable tablefile.Command   `cmd:"" name:"export-table" help:"Export a view or a read table, with its position in the log, as Parquet, CSV or JSON lines."`
	Lake        lake.Command        `cmd:"" help:"Keep a folder of Parquet files with what SQL users read, partitioned by height, in step with the log; run again after an interruption, it resumes."`
	History     history.Command     `cmd:"" help:"Publish the log and its chain as signed files, check such files, and begin from them."`
	SQLRole     sqlrole.Command     `cmd:"" name:"sql-role" help:"Make or update a role of the database that reads the tables by SQL, and changes nothing."`
	Trace       trace.Command       `cmd:"" help:"Explain a server's answer: the rows and events behind it, with JSON pointers."`
	CheckProof  proof.Command       `cmd:"" help:"Check, without a server, the proof that an event is in the log (exit code 3 = it proves nothing)."`
	Verify      verify.Command      `cmd:"" help:"Verify the log and the read tables: hash and fold all events again, and compare with what is stored, signed and served (exit code 3 = differences)."`
	Differences differences.Command `cmd:"" help:"List accounts that differ from a node's, and accept differences that are known and harmless."`
	Simulate    simulate.Command    `cmd:"" help:"Post a synthetic chain to a running server, as a node would, or a synthetic ordinals feed, as an indexer would."`
	Demo        demo.Command        `cmd:"" help:"Serve a synthetic chain from a temporary database and show a few answers."`
	Doctor      doctor.Command      `cmd:"" help:"Check what a server needs: the database and its settings, the disk, the clock, the nodes and their events, Redis, the log's key; and say what to do (exit code 1 = something is wrong)."`
	Health      health.Command      `cmd:"" help:"Ask a running server whether it is ready (exit code 1 = it is not)."`
	Reset       reset.Command       `cmd:"" help:"Export the log to a file, and empty the database for another chain, such as a developer network that was started again."`
	LogKey      audit.KeyCommand    `cmd:"" help:"Print the verifier key of the log's checkpoints."`
	CheckConfig serve.CheckConfig   `cmd:"" name:"check-config" help:"Check the settings of a server without starting it, and print those that differ from their defaults."`
	Settings    settings.Command    `cmd:"" help:"Print the settings of a server: keys of the configuration file, flags, variables, defaults and meanings."`
	Completion  completion.Command  `cmd:"" help:"Print the script that makes a shell complete commands and flags."`
	OpenAPI     openapi.Command     `cmd:"" name:"openapi" help:"Print the OpenAPI description of the API."`
	Version     kong.VersionFlag    `help:"Print the version." short:"V"`
}
