package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"strata/internal/synthchain"
)

type simulateCommand struct {
	Observer    string  `default:"http://127.0.0.1:3700" env:"STRATA_SIMULATE_OBSERVER" placeholder:"URL" help:"Observer to post to, the --observer-addr of a server."`
	Seed        uint64  `default:"1" help:"The same seed posts the same chain."`
	Count       uint64  `default:"0" help:"Posts; 0: until stopped."`
	Rate        float64 `default:"0" help:"Posts a second at most; 0: as fast as they are accepted."`
	Forks       float64 `default:"0.05" help:"Probability that a fork begins at a block."`
	Calm        bool    `help:"Blocks only: no forks, duplicates, late parents or reorganisations of Bitcoin."`
	Epoch2      bool    `help:"A chain before Nakamoto, with microblocks."`
	AllowRemote bool    `help:"Post also to an address that is not on this machine."`
}

// config of the chain that the flags describe.
func (c *simulateCommand) config() synthchain.Config {
	generation := synthchain.V40
	if c.Epoch2 {
		generation = synthchain.V21
	}
	if c.Calm {
		return synthchain.Config{Seed: c.Seed, Generation: generation, Nakamoto: !c.Epoch2, SponsoredShare: 0.1, Maturity: 20, ForgetHistory: true}
	}
	config := synthchain.Everything(c.Seed, generation)
	config.ForkProbability = c.Forks
	config.ForgetHistory = true
	return config
}

// Run posts until it is told to stop.
func (c *simulateCommand) Run(ctx context.Context, _ *Globals) error {
	var (
		last synthchain.Progress
		told = time.Now()
	)
	tell := func() {
		fmt.Fprintf(os.Stderr, "%d posts accepted, %.1f MB, %.0f a second, %d tried again",
			last.Posts, float64(last.Bytes)/1e6, float64(last.Posts)/max(last.Elapsed.Seconds(), 1e-3), last.Retries)
		if last.Failure != nil {
			fmt.Fprintf(os.Stderr, "; the last attempt: %v", last.Failure)
		}
		fmt.Fprintln(os.Stderr)
	}
	err := synthchain.Simulation{
		Observer: c.Observer, Chain: c.config(), Rate: c.Rate, Count: c.Count, Timeout: 10 * time.Second, AllowRemote: c.AllowRemote,
		Progress: func(p synthchain.Progress) {
			last = p
			if time.Since(told) > 2*time.Second {
				told = time.Now()
				tell()
			}
		},
	}.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	tell()
	return nil
}
