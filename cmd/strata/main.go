// Command strata turns the events of a Stacks node into an append-only log, the log into read tables, and serves
// them over HTTP.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)

	var cli cli
	command := kong.Parse(&cli,
		kong.Name("strata"),
		kong.Description("The data layer between a Stacks node and everything that reads the chain."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": build().String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err := command.Run(&cli.Globals); err != nil {
		fmt.Fprintln(os.Stderr, "strata:", err)
		os.Exit(1)
	}
}
