package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"strata/domain/ordinals"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
)

type simulateCommand struct {
	Observer    string  `default:"http://127.0.0.1:3700" env:"STRATA_SIMULATE_OBSERVER" placeholder:"URL" help:"Observer to post to, the --observer-addr of a server."`
	Seed        uint64  `default:"1" help:"The same seed posts the same chain."`
	Count       uint64  `default:"0" help:"Posts; 0: until stopped."`
	Rate        float64 `default:"0" help:"Posts a second at most; 0: as fast as they are accepted."`
	Forks       float64 `default:"0.05" help:"Probability that a fork begins at a block; of the ordinals feed, that a post takes blocks back."`
	Calm        bool    `help:"Blocks only: no forks, duplicates, late parents or reorganisations of Bitcoin; none too late or out of order."`
	Epoch2      bool    `xor:"feed" help:"A chain before Nakamoto, with microblocks."`
	Ordinals    bool    `xor:"feed" help:"The feed of an ordinals indexer instead of a chain."`
	Gaps        float64 `default:"0.04" help:"Probability that a post of the ordinals feed is lost, and comes much later."`
	Token       string  `env:"STRATA_ORDHOOK_TOKEN" placeholder:"TOKEN" help:"Bearer token to show with the ordinals feed, the --ordhook-token of a server."`
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

// feed is the ordinals feed that the flags describe. It begins shortly before the jubilee, so that there are numbers
// below zero and curses without; BRC-20 is there from the start.
func (c *simulateCommand) feed() synthordinals.Config {
	config := synthordinals.Everything(c.Seed, ordinals.Mainnet)
	config.StartHeight = ordinals.Mainnet.JubileeHeight() - 40
	config.RollbackProbability, config.GapProbability = c.Forks, c.Gaps
	config.ForgetHistory = true
	if c.Calm {
		config.RollbackProbability, config.UnknownRollbackProbability, config.GapProbability = 0, 0, 0
		config.DuplicateProbability, config.OutOfOrderProbability = 0, 0
	}
	return config
}

// Run posts until it is told to stop.
func (c *simulateCommand) Run(ctx context.Context, _ *Globals) error {
	t := &teller{told: time.Now()}
	var err error
	if c.Ordinals {
		err = synthordinals.Simulation{
			Observer: c.Observer, Token: c.Token, Feed: c.feed(), Rate: c.Rate, Count: c.Count, Timeout: 10 * time.Second, AllowRemote: c.AllowRemote,
			Progress: func(p synthordinals.Progress) { t.now(posted{p.Posts, p.Bytes, p.Retries, p.Elapsed, p.Failure}) },
		}.Run(ctx)
	} else {
		err = synthchain.Simulation{
			Observer: c.Observer, Chain: c.config(), Rate: c.Rate, Count: c.Count, Timeout: 10 * time.Second, AllowRemote: c.AllowRemote,
			Progress: func(p synthchain.Progress) { t.now(posted{p.Posts, p.Bytes, p.Retries, p.Elapsed, p.Failure}) },
		}.Run(ctx)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	t.tell()
	return nil
}

// posted is how far a simulation is.
type posted struct {
	posts, bytes, retries uint64
	elapsed               time.Duration
	failure               error
}

// teller tells it every two seconds.
type teller struct {
	last posted
	told time.Time
}

func (t *teller) now(p posted) {
	t.last = p
	if time.Since(t.told) > 2*time.Second {
		t.told = time.Now()
		t.tell()
	}
}

func (t *teller) tell() {
	fmt.Fprintf(os.Stderr, "%d posts accepted, %.1f MB, %.0f a second, %d tried again",
		t.last.posts, float64(t.last.bytes)/1e6, float64(t.last.posts)/max(t.last.elapsed.Seconds(), 1e-3), t.last.retries)
	if t.last.failure != nil {
		fmt.Fprintf(os.Stderr, "; the last attempt: %v", t.last.failure)
	}
	fmt.Fprintln(os.Stderr)
}
