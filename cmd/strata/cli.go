package main

import (
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
)

// cli is the command line: every flag has an environment variable, and a command is a file of its own.
type cli struct {
	Globals `embed:"" group:"Log lines:"`

	Serve       serveCommand       `cmd:"" help:"Receive events, keep the read tables up to date and answer the API."`
	Import      importCommand      `cmd:"" help:"Read archives of events into the log; stopped, it goes on where it was when it is run again."`
	Export      exportCommand      `cmd:"" help:"Write the log's events as an archive."`
	Projections projectionsCommand `cmd:"" help:"See how far the read tables are; build them again, compare their versions, switch and drop them."`
	Trace       traceCommand       `cmd:"" help:"See what an answer of a running server is made of: rows, events and where in them it says so."`
	Verify      verifyCommand      `cmd:"" help:"Hash the log anew, fold it anew, and compare with what is stored, signed and served; the exit code tells."`
	Simulate    simulateCommand    `cmd:"" help:"Post a made-up chain to a running server, as a node would, or a made-up ordinals feed, as an indexer would."`
	Demo        demoCommand        `cmd:"" help:"Make up a chain, serve it from a throw-away database and show a few answers."`
	LogKey      logKeyCommand      `cmd:"" help:"Print the key that checkpoints of the log are checked with."`
	OpenAPI     openapiCommand     `cmd:"" name:"openapi" help:"Print the OpenAPI description of the API."`
	Version     kong.VersionFlag   `help:"Print the version." short:"V"`
}

// Globals are the flags of every command.
type Globals struct {
	LogLevel  slog.Level `default:"INFO" env:"STRATA_LOG_LEVEL" help:"Least important to write: DEBUG, INFO, WARN or ERROR."`
	LogFormat string     `default:"text" enum:"text,json" env:"STRATA_LOG_FORMAT" help:"text or json."`
}

// logger writes to stderr: stdout belongs to what a command prints.
func (g *Globals) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: g.LogLevel}
	if g.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
