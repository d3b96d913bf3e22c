// Command strata turns the events of a Stacks node into an append-only log, the log into read tables, and serves
// them over HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes besides 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitDifferences = 3 // what was compared is not alike, or not as it should be
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)

	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var cli cli
	parser := newParser(ctx, &cli)
	command, err := parser.Parse(args)
	if err != nil {
		parser.Stdout = os.Stderr // where the output of a command may go to is no place for its usage
		parser.FatalIfErrorf(err)
	}
	if err := command.Run(&cli.Globals); err != nil {
		fmt.Fprintln(os.Stderr, "strata:", oneLine(err))
		if errors.As(err, new(differs)) {
			os.Exit(exitDifferences)
		}
		os.Exit(exitFailure)
	}
}

// differs is an error which says that something was compared and is not alike: no failure of the program, and for a script to tell
// from one.
type differs interface {
	error
	differs()
}

// unlikeError makes such an error of any.
type unlikeError struct{ error }

func (unlikeError) differs() {}

func (e unlikeError) Unwrap() error { return e.error }

// newParser reads command lines into cli. ctx is for the command that Run is called on.
func newParser(ctx context.Context, cli *cli) *kong.Kong {
	return kong.Must(cli,
		kong.Name("strata"),
		kong.Description("The data layer between a Stacks node and everything that reads the chain."),
		kong.ShortUsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": build().String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Exit(func(code int) {
			if code != 0 { // of its own accord kong ends the program only for help, the version and wrong usage
				code = exitUsage
			}
			os.Exit(code)
		}),
	)
}

// oneLine is an error's text for the end of a terminal session or a line of a supervisor's log. Texts of several
// lines, such as pgx's with one for each attempt to connect, are joined, and what they repeat is left out.
func oneLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text, before := "", ""
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || line == before {
			continue
		}
		switch {
		case text == "":
		case strings.HasSuffix(text, ":"):
			text += " "
		default:
			text += "; "
		}
		text, before = text+line, line
	}
	return text
}
