// Command strata turns the events of a Stacks node into an append-only log, the log into read tables, and serves
// them over HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/completion"
	"strata/cmd/strata/internal/configfile"
	"strata/cmd/strata/internal/container"
	"strata/cmd/strata/internal/program"
	"strata/cmd/strata/internal/secretfile"
	"strata/cmd/strata/internal/serve"
	"strata/cmd/strata/internal/setting"
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
	completion.Answer(parser)
	command, err := parser.Parse(args)
	if err != nil {
		parser.Stdout = os.Stderr // stdout may be redirected to a file, where the usage does not belong
		if fixed := setting.FixedFlag(args); fixed != "" {
			parser.FatalIfErrorf(err, "%s", fixed)
		}
		parser.FatalIfErrorf(err)
	}
	if refused := setting.Refused(os.LookupEnv); refused != "" && command.Selected() != nil && command.Selected().Name == "serve" {
		parser.FatalIfErrorf(errors.New(refused))
	}
	for _, line := range setting.Unknown(parser.Model, os.Environ(), secretfile.Variables()) {
		fmt.Fprintln(os.Stderr, "strata:", line)
	}
	if err := command.Run(&cli.Globals); err != nil {
		fmt.Fprintln(os.Stderr, "strata:", program.OneLine(err))
		if errors.As(err, new(program.MismatchError)) {
			os.Exit(exitDifferences)
		}
		os.Exit(exitFailure)
	}
}

// newParser returns a parser of command lines into cli. Commands get ctx, the version of this build and the variables of
// the container of stacks-blockchain-api as arguments of their Run.
func newParser(ctx context.Context, cli *cli) *kong.Kong {
	variables := container.New(os.LookupEnv)
	return kong.Must(cli,
		kong.Name("strata"),
		kong.Description("The data layer between a Stacks node and everything that reads the chain."),
		kong.ShortUsageOnError(),
		kong.Help(serve.Help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": build().String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(build()),
		kong.Bind(variables),
		kong.Resolvers(variables, secretfile.Resolver{Lookup: os.LookupEnv}),
		kong.Configuration(configfile.Loader(os.LookupEnv)),
		kong.Exit(func(code int) {
			if code != 0 { // kong itself ends the program only after help, the version or wrong usage
				code = exitUsage
			}
			os.Exit(code)
		}),
	)
}
