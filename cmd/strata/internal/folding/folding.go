// Package folding lists the projections of this program, and runs them.
package folding

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	domain "strata/domain/bns"
	"strata/domain/commit"
	"strata/eventstore"
	"strata/internal/diskspace"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/bns"
	"strata/projections/brc20"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/ft"
	"strata/projections/inscriptions"
	"strata/projections/mempool"
	"strata/projections/names"
	"strata/projections/nft"
	"strata/projections/ordinals"
	"strata/projections/pox"
	"strata/projections/rosetta"
	"strata/projections/search"
	"strata/projections/sft"
	"strata/projections/staking"
)

// NewRunner returns a runner of lines. With buildNew it builds new versions of read tables, whose rules the
// database does not have yet, without a command. It calls committed after each commit, or publishes to feed what a
// transaction at the tip has changed; both may be nil, and so may disk, the guard of the database's disk.
func NewRunner(log *eventstore.Log, lines projections.Lines, buildNew bool, committed func(), feed *commit.Feed, disk *diskspace.Guard, logger *slog.Logger, registry prometheus.Registerer) *follow.Runner {
	config := follow.Config{Log: log, Logger: logger, Registry: registry, Committed: committed, Feed: feed, BuildNew: buildNew, Tight: disk.Tight, Room: disk.Room}
	return follow.NewRunner(config, lines...)
}

// Start runs a runner until ctx ends or stop is called. stop returns once the runner has ended.
func Start(ctx context.Context, runner *follow.Runner) (stop func()) {
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

// Lines returns the definitions of all projections. registry may be nil for a caller that runs none of them.
func Lines(forkChoice string, logger *slog.Logger, registry prometheus.Registerer) (projections.Lines, error) {
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
	tokens := brc20.New(logger)
	tokens.Instrument(registry)
	registries, err := RegistryOfNames()
	if err != nil {
		return nil, err
	}
	return projections.Lines{
		projections.Chain(canonical, ledger, accounts.New(), mempool.New(), pox.New(), staking.New(), names.New(), bns.New(registries), ft.New(logger), sft.New(logger), nft.New(logger), rosetta.New(), search.New(registries)),
		projections.Feed(feed, inscribed, tokens),
	}, nil
}

// deployersOfNames is the environment variable with the addresses, separated by commas, of the deployers of BNS-V2 on a
// network other than mainnet and testnet. All commands that fold must have the same value: rows depend on it.
const deployersOfNames = "STRATA_BNS_DEPLOYERS"

// RegistryOfNames returns the contracts of BNS-V2.
func RegistryOfNames() (domain.Contracts, error) {
	deployers := strings.FieldsFunc(os.Getenv(deployersOfNames), func(r rune) bool { return r == ',' || r == ' ' })
	contracts, err := domain.ContractsOf(deployers...)
	if err != nil {
		return contracts, fmt.Errorf("%s: %w", deployersOfNames, err)
	}
	return contracts, nil
}
