// Package program holds what every command of the program has: the flags of its log lines, the error that ends it with an
// exit code of its own, and texts that are safe to print on a terminal.
package program

import (
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
)

// Globals are the flags that all commands share.
type Globals struct {
	Config    kong.ConfigFlag `env:"STRATA_CONFIG" placeholder:"FILE" help:"File with settings in TOML, whose keys are the names of flags (empty = none). Flags and variables win."`
	LogLevel  slog.Level      `default:"INFO" env:"STRATA_LOG_LEVEL" help:"Minimum level of log lines: DEBUG, INFO, WARN or ERROR."`
	LogFormat string          `default:"text" enum:"text,json" env:"STRATA_LOG_FORMAT" help:"Format of log lines: text or json."`
}

// Logger returns a logger that writes to stderr; stdout is for the output of commands.
func (g *Globals) Logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: g.LogLevel}
	if g.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
