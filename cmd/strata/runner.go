package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/brc20"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/mempool"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/pox"
	"strata/projections/sft"
)

type runnerFlags struct {
	BuildNewVersions bool `default:"true" negatable:"" env:"STRATA_BUILD_NEW_VERSIONS" help:"Build new versions of read tables whose rules differ between this program and the database, beside the active ones. Activating them takes a command; with --no-build-new-versions, so does building."`
}

// newRunner returns a runner of all projections. With buildNew it builds new versions of read tables, whose rules the
// database does not have yet, without a command. It calls committed after each commit.
func newRunner(log *eventstore.Log, forkChoice string, buildNew bool, committed func(), logger *slog.Logger, registry prometheus.Registerer) (*follow.Runner, error) {
	lines, err := newLines(forkChoice, logger, registry)
	if err != nil {
		return nil, err
	}
	config := follow.Config{Log: log, Logger: logger, Registry: registry, Committed: committed, BuildNew: buildNew}
	return follow.NewRunner(config, lines...), nil
}

// startFolding runs a runner until ctx ends or stop is called. stop returns once the runner has ended.
func startFolding(ctx context.Context, runner *follow.Runner) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// newLines returns the definitions of all projections.
func newLines(forkChoice string, logger *slog.Logger, registry prometheus.Registerer) (projections.Lines, error) {
	canonical, err := chain.New(chain.Rule(forkChoice), logger)
	if err != nil {
		return nil, err
	}
	canonical.Instrument(registry)
	ledger := balances.New(logger)
	ledger.Instrument(registry)
	feed := ordinals.New(logger)
	feed.Instrument(registry)
	inscribed := inscriptions.New(logger)
	inscribed.Instrument(registry)
	return projections.Lines{
		projections.Chain(canonical, ledger, accounts.New(), mempool.New(), pox.New(), ft.New(logger), sft.New(logger), nft.New(logger)),
		projections.Feed(feed, inscribed, brc20.New()),
	}, nil
}
