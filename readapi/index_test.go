package readapi_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// No answer scans a table that grows with the chain, at any depth and with generic plans, too.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const n = 20_000
	s.Fill(n)
	var deep string
	must.Do(t, s.Pool.QueryRow(t.Context(), `SELECT encode(index_block_hash, 'hex') FROM chain_v1.block WHERE height = 500`).Scan(&deep))
	s.ScansNothing(t, []string{"chain_v1", "balances_v1"}, []string{"chain_v1.gap", "chain_v1.microblock"},
		"/extended", "/extended/v2/blocks", "/extended/v2/blocks?cursor="+deep, "/extended/v2/blocks/latest", "/extended/v2/blocks/500", "/extended/v2/blocks/"+deep,
		"/extended/v1/address/"+apitest.Alice+"/stx", "/extended/v1/address/"+apitest.Alice+"/stx?until_block=500", "/extended/v1/address/"+apitest.Alice+"/stx?until_block="+deep,
		"/extended/v1/address/"+apitest.Alice+"/balances", "/extended/v1/address/"+apitest.Alice+"/balances?until_block=500",
		"/audit/v1/negative-balances", fmt.Sprintf("/audit/v1/negative-balances?cursor=100:%s:stx", "SP9"), "/readyz",
	)
}
