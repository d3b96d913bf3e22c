// Command mutants changes a package in small ways, one at a time, and lists the changes that neither its tests nor the
// simulator notices. It exits with 1 if one of them has no reason in testdata/mutants.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"strata/cmd/mutants/internal/mutate"
)

func main() {
	unexplained, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if unexplained {
		os.Exit(1)
	}
}

func run() (unexplained bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config := mutate.Config{Progress: os.Stderr}
	flag.StringVar(&config.Package, "package", "./projections/chain", "packages to mutate, as a pattern; their tests try all of the mutants")
	flag.IntVar(&config.Sample, "sample", 0, "number of mutants to try, chosen by the seed (0 = all)")
	flag.Uint64Var(&config.Seed, "seed", 1, "seed of the sample")
	only := flag.String("only", "", "regular expression: try only mutants with such a function | operator | source")
	flag.IntVar(&config.Histories, "histories", 25, "number of simulated histories that try what the tests did not notice (0 = none)")
	flag.StringVar(&config.Reasons, "reasons", "cmd/mutants/testdata/mutants.md", "file with the reasons why mutants may survive")
	flag.Parse()
	if config.Only, err = regexp.Compile(*only); err != nil {
		return false, err
	}
	began := time.Now()
	result, err := mutate.Run(ctx, config)
	if err != nil {
		return false, err
	}
	fmt.Printf("%s: %d mutants, %d tried in %v: %d killed by tests, %d by the simulator, %d by nothing, %d of them without a reason\n", config.Package,
		result.Mutants, result.Tried, time.Since(began).Round(time.Second), result.Tests, result.Simulator, len(result.Survivors), result.Unexplained)
	for _, s := range result.Survivors {
		reason := s.Reason
		if reason == "" {
			reason = "NO REASON"
		}
		if !s.Reached {
			reason += " (nothing runs it)"
		}
		fmt.Printf("%s: %s: %s\n", s.Place, s.Key(), reason)
	}
	return result.Unexplained > 0, nil
}
