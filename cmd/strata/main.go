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
	exitDifferences = 3 // a comparison found differences, or a version is not fit for readers
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, restore the default: a second signal kills the program at once.
	context.AfterFunc(ctx, stop)

	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var cli cli
	parser := newParser(ctx, &cli)
	command, err := parser.Parse(args)
	if err != nil {
		parser.Stdout = os.Stderr // stdout may be redirected to a file, where the usage does not belong
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

// differs is implemented by errors that report differences found by a comparison. They have an exit code of their own,
// so that scripts can tell them from failures.
type differs interface {
	error
	differs()
}

// mismatchError turns any error into one that implements differs.
type mismatchError struct{ error }

func (mismatchError) differs() {}

func (e mismatchError) Unwrap() error { return e.error }

// newParser returns a parser of command lines into cli. Commands get ctx as the argument of their Run.
func newParser(ctx context.Context, cli *cli) *kong.Kong {
	return kong.Must(cli,
		kong.Name("strata"),
		kong.Description("The data layer between a Stacks node and everything that reads the chain."),
		kong.ShortUsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": build().String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Exit(func(code int) {
			if code != 0 { // kong itself ends the program only after help, the version or wrong usage
				code = exitUsage
			}
			os.Exit(code)
		}),
	)
}

// oneLine returns an error's text as one line, for a terminal or a supervisor's log. It joins texts of several lines,
// such as pgx's with a line for each attempt to connect, and drops lines that repeat the one before.
func oneLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text, previous := "", ""
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		if line == "" || line == previous {
			continue
		}
		switch {
		case text == "":
		case strings.HasSuffix(text, ":"):
			text += " "
		default:
			text += "; "
		}
		text, previous = text+line, line
	}
	return text
}
