package bns_test

import (
	"testing"

	"strata/domain/bns"
	"strata/internal/testkit/bnschain"
	"strata/internal/testkit/replay"
	fold "strata/projections/bns"
	"strata/readapi"
	"strata/readapi/internal/apitest"
)

// newSite returns an API over the blocks.
func newSite(t *testing.T, blocks []bnschain.Block) *apitest.Site {
	t.Helper()
	log := replay.NewLog(t)
	replay.Append(t, log, bnschain.Posts(t, blocks)...)
	replay.Run(t, log, apitest.NewChain(t), fold.New(bns.KnownContracts()))
	return apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
}
