package main

import (
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
)

// cli is the command line. Each command has a file of its own, and every setting of serve an environment variable, too.
type cli struct {
	Globals `embed:"" group:"Log lines:"`

	Serve       serveCommand       `cmd:"" help:"Receive events, keep the read tables up to date and serve the API."`
	Import      importCommand      `cmd:"" help:"Import archives of events into the log; run again after an interruption, it resumes."`
	Export      exportCommand      `cmd:"" help:"Export the events of the log as an archive."`
	Projections projectionsCommand `cmd:"" help:"Inspect, rebuild, compare, activate and drop versions of the read tables."`
	Trace       traceCommand       `cmd:"" help:"Explain a server's answer: the rows and events behind it, with JSON pointers."`
	Verify      verifyCommand      `cmd:"" help:"Verify the log and the read tables: hash and fold all events again, and compare with what is stored, signed and served (exit code 3 = differences)."`
	Simulate    simulateCommand    `cmd:"" help:"Post a synthetic chain to a running server, as a node would, or a synthetic ordinals feed, as an indexer would."`
	Demo        demoCommand        `cmd:"" help:"Serve a synthetic chain from a temporary database and show a few answers."`
	LogKey      logKeyCommand      `cmd:"" help:"Print the verifier key of the log's checkpoints."`
	OpenAPI     openapiCommand     `cmd:"" name:"openapi" help:"Print the OpenAPI description of the API."`
	Version     kong.VersionFlag   `help:"Print the version." short:"V"`
}

// Globals are the flags that all commands share.
type Globals struct {
	LogLevel  slog.Level `default:"INFO" env:"STRATA_LOG_LEVEL" help:"Minimum level of log lines: DEBUG, INFO, WARN or ERROR."`
	LogFormat string     `default:"text" enum:"text,json" env:"STRATA_LOG_FORMAT" help:"Format of log lines: text or json."`
}

// logger returns a logger that writes to stderr; stdout is for the output of commands.
func (g *Globals) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: g.LogLevel}
	if g.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
