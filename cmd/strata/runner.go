package main

import (
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
	BuildNewVersions bool `default:"true" negatable:"" env:"STRATA_BUILD_NEW_VERSIONS" help:"Build the tables of projections that have other rules here than in the database, beside those that are there. They become active on command; without this flag, building takes a command too."`
}

// newRunner follows all projections. buildNew says whether rules that are new to the database are built without a command.
func newRunner(log *eventstore.Log, forkChoice string, buildNew bool, committed func(), logger *slog.Logger, registry prometheus.Registerer) (*follow.Runner, error) {
	lines, err := newLines(forkChoice, logger, registry)
	if err != nil {
		return nil, err
	}
	config := follow.Config{Log: log, Logger: logger, Registry: registry, Committed: committed, BuildNew: buildNew}
	return follow.NewRunner(config, lines...), nil
}

// newLines has the code of all projections.
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
