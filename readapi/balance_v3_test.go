package readapi_test

import (
	"net/url"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/rig/apitest"
)

// Lists of version 3, compared with a chain with forks.
func TestVersion3OfChain(t *testing.T) {
	t.Parallel()
	for name, generation := range map[string]synthchain.Generation{"2.1": synthchain.V21, "3.0": synthchain.V30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := apitest.NewHistory(t, generation, 250)
			t.Run("holders", h.HoldersOfVersion3)
			t.Run("transfers", h.Transfers)
			t.Run("mining", h.Mining)
			t.Run("blocks", h.BlocksOfVersion3)
			t.Run("prints", h.FunctionsOfPrints)
			t.Run("batches", h.Batches)
			t.Run("costs", func(t *testing.T) {
				collection := url.PathEscape(h.Busiest("nft_mint_event", "asset_identifier"))
				contract := h.Busiest("contract_event", "contract_identifier")
				h.Costs(t, map[string]int64{
					"/extended/v3/tokens/stx/holders?limit=20&cursor=1000:SP000000000000000000002Q6VF78": 600,
					"/extended/v3/tokens/nft/" + collection + "/holders?limit=20":                        400,
					"/extended/v3/blocks?limit=10&cursor=50":                                             150,
					"/extended/v3/bitcoin-blocks?limit=10&cursor=50":                                     200,
					"/extended/v3/smart-contracts/" + contract + "/events?limit=10":                      900,
					"/extended/v3/smart-contracts/" + contract:                                           60,
				})
			})
		})
	}
}
