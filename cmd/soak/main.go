// Command soak runs a server for a while under load, attacks and kills, and checks that nothing was lost or leaks, and that readers
// saw no error that a working server should not show. It prints a table, and exits with 1 if a rule was broken. See
// docs/reliability.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"strata/cmd/soak/internal/soak"
	"strata/internal/testkit/serverrig"
)

func main() {
	broken, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if broken {
		os.Exit(1)
	}
}

func run() (broken bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config := soak.Config{Progress: os.Stderr}
	flag.DurationVar(&config.Duration, "duration", 10*time.Minute, "duration of the load")
	flag.DurationVar(&config.KillEvery, "kill-every", 30*time.Second, "time between two kills of the server (0 = none)")
	flag.Float64Var(&config.Rate, "rate", 20, "events posted per second; a node of the main network posts about one")
	flag.IntVar(&config.Readers, "readers", 64, "number of clients that read")
	flag.IntVar(&config.Attackers, "attackers", 16, "number of attackers of each kind")
	flag.IntVar(&config.Flood, "flood", 500, "number of connections that attackers hold open")
	flag.Uint64Var(&config.Seed, "seed", 1, "seed of the chain and of the requests")
	flag.StringVar(&config.Program, "program", "", "path of the strata program (empty = build it)")
	flag.Parse()
	if config.Program == "" {
		dir, err := os.MkdirTemp("", "strata-soak-program-*")
		if err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		config.Program = filepath.Join(dir, "strata")
		if err := serverrig.Build(ctx, config.Program); err != nil {
			return false, err
		}
	}
	report, err := soak.Run(ctx, config)
	if err != nil {
		return false, err
	}
	return len(report.Broken) > 0, report.Print(os.Stdout)
}
