// Package every lists the projections of this program, for tests that fold with all of them.
package every

import (
	domain "strata/domain/bns"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/bns"
	"strata/projections/brc20"
	"strata/projections/chain"
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

// Lines returns new instances of all projections, with the recommended fork choice.
func Lines() projections.Lines {
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		panic(err)
	}
	return projections.Lines{
		projections.Chain(canonical, balances.New(nil), accounts.New(), mempool.New(), pox.New(), staking.New(), names.New(), bns.New(domain.KnownContracts()),
			ft.New(nil), sft.New(nil), nft.New(nil), rosetta.New(), search.New(domain.KnownContracts())),
		projections.Feed(ordinals.New(nil), inscriptions.New(nil), brc20.New(nil)),
	}
}
