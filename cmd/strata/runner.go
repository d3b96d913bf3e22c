package main

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/brc20"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/sft"
)

// newRunner has all projections.
func newRunner(log *eventstore.Log, forkChoice string, committed func(), logger *slog.Logger, registry prometheus.Registerer) (*projections.Runner, error) {
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
	return projections.NewRunner(projections.Config{Log: log, Logger: logger, Registry: registry, Committed: committed},
		projections.Chain(canonical, ledger, ft.New(logger), sft.New(logger), nft.New(logger)),
		projections.Feed(feed, inscribed, brc20.New())), nil
}
