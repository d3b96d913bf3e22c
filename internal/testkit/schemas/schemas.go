// Package schemas names the schemas of the read tables that this program builds, so that tests need not change with the
// version of a projection.
package schemas

import (
	"strings"

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
	"strata/projections/sft"
	"strata/projections/staking"
)

var versions = map[string]int{
	accounts.Name: accounts.Version, balances.Name: balances.Version, bns.Name: bns.Version, brc20.Name: brc20.Version,
	chain.Name: chain.Version, ft.Name: ft.Version, inscriptions.Name: inscriptions.Version, mempool.Name: mempool.Version,
	names.Name: names.Version, nft.Name: nft.Version, ordinals.Name: ordinals.Version, pox.Name: pox.Version,
	rosetta.Name: rosetta.Version, sft.Name: sft.Version, staking.Name: staking.Version,
}

var replacer = func() *strings.Replacer {
	var pairs []string
	for name, version := range versions {
		pairs = append(pairs, "{"+name+"}", projections.Schema{Name: name, Version: version}.String())
	}
	return strings.NewReplacer(pairs...)
}()

// In replaces each name of a projection in braces, such as {chain}, by the schema of its tables.
func In(text string) string { return replacer.Replace(text) }
