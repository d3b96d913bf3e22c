package readapi_test

import (
	"fmt"
	"testing"

	"strata/internal/synth/synthchain"
	"strata/rig/apitest"
)

func TestBlocksOfChain(t *testing.T) {
	t.Parallel()
	h := apitest.NewHistory(t, synthchain.V30, 300)
	t.Run("version 1", h.BlocksOfVersion1)
	t.Run("Bitcoin", h.BlocksOfBitcoin)
	t.Run("tenures", h.BlocksOfTenures)
	t.Run("times", h.TimesOfBlocks)
	t.Run("signatures", h.SignaturesOfBlocks)
	t.Run("shapes", func(t *testing.T) {
		for name, path := range map[string]string{
			"block_v1": "/extended/v1/block?limit=1", "burn_blocks": "/extended/v2/burn-blocks?limit=2", "average_times": "/extended/v2/blocks/average-times",
			"signer_signatures": "/extended/v2/blocks/latest/signer-signatures", "tenure_blocks": fmt.Sprintf("/extended/v2/block-tenures/%d/blocks?limit=1", h.Truth.Tip.Tenure),
		} {
			apitest.Golden(t, "chain_"+name, h.Get(path).Body)
		}
	})
	t.Run("plans", h.PlansOfBlocks)
}
