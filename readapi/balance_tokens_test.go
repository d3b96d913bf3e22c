package readapi_test

import (
	"net/url"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/rig/apitest"
)

func TestTokensOfChain(t *testing.T) {
	t.Parallel()
	h := apitest.NewHistory(t, synthchain.V30, 300)
	t.Run("holders", h.HoldersOfTokens)
	t.Run("non-fungible", h.NonFungible)
	t.Run("supply", h.SupplyOfSTX)
	t.Run("prints", h.PrintsOfContracts)
	t.Run("traits", h.ContractsByTrait)
	t.Run("search", h.Searches)
	t.Run("costs", func(t *testing.T) {
		asset := h.Busiest("nft_mint_event", "asset_identifier")
		contract := h.Busiest("contract_event", "contract_identifier")
		h.Costs(t, map[string]int64{
			"/extended/v1/tokens/ft/stx/holders":                                                   1500,
			"/extended/v1/tokens/nft/mints?limit=10&asset_identifier=" + url.QueryEscape(asset):    200,
			"/extended/v1/contract/" + contract + "/events?limit=10":                               600,
			"/extended/v2/smart-contracts/" + contract + "/logs?limit=10&from_block=3&to_block=20": 600,
			"/extended/v1/stx_supply?height=20":                                                    10,
		})
	})
}
