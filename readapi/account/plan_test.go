package account_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/readapi"
	"strata/rig/apitest"
)

// A page costs the same wherever it is in a list, with a plan for its arguments as with one for any.
func TestAccountListPlans(t *testing.T) {
	t.Parallel()
	short.Skip(t, "it fills large tables")
	w := apitest.NewWorld(t)
	const n = 1500
	w.LongLists(n)
	seen := &apitest.Queries{}
	config := must.Get(pgxpool.ParseConfig(w.Pool.Config().ConnString()))(t)
	config.ConnConfig.Tracer = seen
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	pgtest.AtEnd(t, pool.Close)
	s := apitest.NewSiteOn(t, pool, readapi.Config{})
	v1, v2, v3 := "/extended/v1/address/"+apitest.Alice, "/extended/v2/addresses/"+apitest.Alice, "/extended/v3/principals/"+apitest.Alice
	for _, tc := range []struct {
		first, deep string
		most        int64 // blocks that either touches
		apart       int64 // by which they may differ: where an index is a level deeper, or halving took a step more
	}{
		{"/extended/v1/tx?limit=20", "/extended/v1/tx?limit=20&offset=13000", 800, 20},
		{"/extended/v1/tx?limit=20&order=asc", "/extended/v1/tx?limit=20&order=asc&offset=8000", 800, 20},
		{"/extended/v1/tx?limit=20&type=contract_call", "/extended/v1/tx?limit=20&type=contract_call&offset=6900", 900, 40},
		{"/extended/v1/tx?limit=20&type=contract_call,token_transfer", "/extended/v1/tx?limit=20&type=contract_call,token_transfer&offset=11000", 1000, 60},
		{"/extended/v1/tx?limit=20&contract_id=" + apitest.Alice + ".coin", "/extended/v1/tx?limit=20&contract_id=" + apitest.Alice + ".coin&offset=11000", 800, 20},
		{v1 + "/transactions", v1 + "/transactions?offset=13000", 900, 20},
		{v1 + "/transactions?cursor=14000", v1 + "/transactions?cursor=1000", 900, 20},
		{v1 + "/transactions?to_block=1450", v1 + "/transactions?to_block=200", 1400, 40},
		{v1 + "/transactions_with_transfers", v1 + "/transactions_with_transfers?offset=13000", 1900, 60},
		{v1 + "/assets", v1 + "/assets?offset=13000", 900, 20},
		{"/extended/v1/address/" + apitest.Bob + "/stx_inbound", "/extended/v1/address/" + apitest.Bob + "/stx_inbound?offset=13000", 1000, 20},
		{"/extended/v1/tx/events?address=" + apitest.Alice + "&offset=100", "/extended/v1/tx/events?address=" + apitest.Alice + "&offset=11000", 1200, 60},
		{v2 + "/transactions", v2 + "/transactions?offset=13000", 900, 30},
		{v3 + "/transactions?cursor=1450:0:0", v3 + "/transactions?cursor=100:0:0", 1500, 60},
		{"/extended/v3/transactions", "/extended/v3/transactions?cursor=100:0:0", 900, 60},
		{v3 + "/transfers/stx/outbound?cursor=1450:0:0:0", v3 + "/transfers/stx/outbound?cursor=100:0:0:0", 1500, 60},
		{"/extended/v3/principals/" + apitest.Bob + "/transfers/stx/inbound?cursor=1450:0:0:0", "/extended/v3/principals/" + apitest.Bob + "/transfers/stx/inbound?cursor=100:0:0:0", 1500, 60},
	} {
		cost := func(target, mode string) (touched int64) {
			seen.All()
			if got := s.Get(target); got.Status != 200 {
				t.Fatalf("%s: got %d %s", target, got.Status, got.Body)
			}
			for _, q := range seen.All() {
				touched += w.BlocksTouched(mode, q)
			}
			return touched
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			first, deep := cost(tc.first, mode), cost(tc.deep, mode)
			if max(first, deep) > tc.most || deep > first+tc.apart || first > deep+tc.apart {
				t.Errorf("%s, %s: touch %d and %d blocks (%s), want at most %d, and %d apart", tc.first, tc.deep, first, deep, mode, tc.most, tc.apart)
			}
		}
	}
	// What looks through a list does so within bounds.
	for _, target := range []string{"/extended/v1/tx?nonce=7", "/extended/v1/tx?from_address=" + apitest.Alice + "&nonce=3", "/extended/v1/tx?sort_by=fee", "/extended/v1/tx/events?type=stx_lock&address=" + apitest.Alice} {
		seen.All()
		if got := s.Get(target); got.Status != 200 {
			t.Fatalf("%s: got %d %s", target, got.Status, got.Body)
		}
		touched := int64(0)
		for _, q := range seen.All() {
			touched += w.BlocksTouched("force_generic_plan", q)
		}
		if touched > 300_000 { // thirty for each row that is looked at
			t.Errorf("%s: touches %d blocks", target, touched)
		}
	}
}
