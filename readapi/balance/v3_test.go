package balance_test

import (
	"testing"

	"strata/internal/synth/synthchain"
	"strata/readapi/internal/apitest"
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
		})
	}
}
