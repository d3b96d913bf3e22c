// Package simulate posts a synthetic chain to a server, as a node would, or a synthetic ordinals feed, as an indexer would.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"strata/cmd/strata/internal/program"
	"strata/domain/ordinals"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
)

// Command is the command simulate.
type Command struct {
	Observer    string  `default:"http://127.0.0.1:3700" env:"STRATA_SIMULATE_OBSERVER" placeholder:"URL" help:"Observer to post to: the --observer-addr of a server."`
	Seed        uint64  `default:"1" help:"Seed of the chain; the same seed posts the same chain."`
	Count       uint64  `default:"0" help:"Number of events to post (0 = until interrupted)."`
	Rate        float64 `default:"0" help:"Maximum number of posts per second (0 = unlimited)."`
	Forks       float64 `default:"0.05" help:"Probability that a fork begins at a block; with --ordinals, that a post rolls back blocks."`
	Calm        bool    `help:"Post no forks, duplicates, late parents or Bitcoin reorganisations; with --ordinals, no rollbacks, losses, duplicates or disorder."`
	Epoch2      bool    `xor:"feed" help:"Post a chain from before Nakamoto, with microblocks."`
	AllEpochs   bool    `xor:"feed" help:"Post a chain of a test network that goes through all epochs up to 4.0 within a thousand posts, with everything that stakers do."`
	Names       bool    `help:"Let accounts register, change and trade names of both registries, too."`
	Ordinals    bool    `xor:"feed" help:"Post the feed of an ordinals indexer instead of a chain."`
	Gaps        float64 `default:"0.04" help:"Probability that a post of the ordinals feed is lost at first, and arrives much later."`
	Token       string  `env:"STRATA_ORDHOOK_TOKEN" placeholder:"TOKEN" help:"Bearer token to send with the ordinals feed: the --ordhook-token of the server."`
	AllowRemote bool    `help:"Allow an observer that is not on this machine."`
}

// Config returns the configuration of the chain that the flags describe.
func (c *Command) Config() synthchain.Config {
	config := c.withoutNames()
	if c.Names {
		if config.Mix == (synthchain.Mix{}) {
			config.Mix = synthchain.DefaultMix()
		}
		config.Mix.Naming, config.Mix.Registry = 20, 40
	}
	return config
}

func (c *Command) withoutNames() synthchain.Config {
	generation := synthchain.V40
	if c.Epoch2 {
		generation = synthchain.V21
	}
	if c.Calm && c.AllEpochs {
		return synthchain.Config{
			Seed: c.Seed, Network: synthchain.Testnet, AllEpochs: true, RewardCycle: 10, BlocksPerTenure: 2, Mix: synthchain.AllEpochs(c.Seed).Mix, Maturity: 20,
			ForgetHistory: true,
		}
	}
	if c.Calm {
		return synthchain.Config{Seed: c.Seed, Generation: generation, Nakamoto: !c.Epoch2, SponsoredShare: 0.1, Maturity: 20, ForgetHistory: true}
	}
	config := synthchain.Everything(c.Seed, generation)
	if c.AllEpochs {
		config = synthchain.AllEpochs(c.Seed)
	}
	config.ForkProbability = c.Forks
	config.ForgetHistory = true
	return config
}

// Feed returns the configuration of the ordinals feed that the flags describe. The feed begins shortly before the
// jubilee, so that it has cursed inscriptions with negative numbers as well as vindicated ones. It has BRC-20 from the
// start.
func (c *Command) Feed() synthordinals.Config {
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

// Run posts until the count is reached or ctx is done.
func (c *Command) Run(ctx context.Context, _ *program.Globals) error {
	progress := &progressPrinter{printed: time.Now()}
	var err error
	if c.Ordinals {
		err = synthordinals.Simulation{
			Observer: c.Observer, Token: c.Token, Feed: c.Feed(), Rate: c.Rate, Count: c.Count, Timeout: 10 * time.Second, AllowRemote: c.AllowRemote,
			Progress: func(p synthordinals.Progress) {
				progress.update(postProgress{p.Posts, p.Bytes, p.Retries, p.Elapsed, p.Failure})
			},
		}.Run(ctx)
	} else {
		err = synthchain.Simulation{
			Observer: c.Observer, Chain: c.Config(), Rate: c.Rate, Count: c.Count, Timeout: 10 * time.Second, AllowRemote: c.AllowRemote,
			Progress: func(p synthchain.Progress) {
				progress.update(postProgress{p.Posts, p.Bytes, p.Retries, p.Elapsed, p.Failure})
			},
		}.Run(ctx)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	progress.print()
	return nil
}

// postProgress is the progress of a simulation.
type postProgress struct {
	posts, bytes, retries uint64
	elapsed               time.Duration
	failure               error
}

// progressPrinter prints the progress of a simulation to stderr, every two seconds.
type progressPrinter struct {
	last    postProgress
	printed time.Time
}

func (r *progressPrinter) update(p postProgress) {
	r.last = p
	if time.Since(r.printed) > 2*time.Second {
		r.printed = time.Now()
		r.print()
	}
}

func (r *progressPrinter) print() {
	fmt.Fprintf(os.Stderr, "%d posts accepted, %.1f MB, %.0f posts/s, %d retries",
		r.last.posts, float64(r.last.bytes)/1e6, float64(r.last.posts)/max(r.last.elapsed.Seconds(), 1e-3), r.last.retries)
	if r.last.failure != nil {
		fmt.Fprintf(os.Stderr, "; last attempt failed: %v", r.last.failure)
	}
	fmt.Fprintln(os.Stderr)
}
