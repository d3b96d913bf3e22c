package readapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/readapi"
	"strata/rig/apitest"
)

// No answer scans a table that grows with the chain, at any depth and with generic plans, too.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const n = 20_000
	s.Fill(n)
	scans := func() map[string]int64 {
		rows, err := s.Pool.Query(t.Context(), `SELECT schemaname || '.' || relname, seq_scan FROM pg_catalog.pg_stat_user_tables WHERE schemaname IN ('chain_v1', 'balances_v1')`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		counts := map[string]int64{}
		for rows.Next() {
			var (
				table string
				count int64
			)
			if err := rows.Scan(&table, &count); err != nil {
				t.Fatal(err)
			}
			counts[table] = count
		}
		return counts
	}
	// What fill did is reported when its sessions end.
	s.Pool.Reset()
	apitest.WaitForSessions(t, s.Pool)
	before := scans()

	config, err := pgxpool.ParseConfig(s.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	reader := apitest.NewSiteOn(t, pool, readapi.Config{})
	var deep string
	if err := s.Pool.QueryRow(t.Context(), `SELECT encode(index_block_hash, 'hex') FROM chain_v1.block WHERE height = 500`).Scan(&deep); err != nil {
		t.Fatal(err)
	}
	for range 8 { // the server chooses a generic plan from the sixth time on
		for _, path := range []string{
			"/extended", "/extended/v2/blocks", "/extended/v2/blocks?cursor=" + deep, "/extended/v2/blocks/latest", "/extended/v2/blocks/500", "/extended/v2/blocks/" + deep,
			"/extended/v1/address/" + apitest.Alice + "/stx", "/extended/v1/address/" + apitest.Alice + "/stx?until_block=500", "/extended/v1/address/" + apitest.Alice + "/stx?until_block=" + deep,
			"/extended/v1/address/" + apitest.Alice + "/balances", "/extended/v1/address/" + apitest.Alice + "/balances?until_block=500",
			"/audit/v1/negative-balances", fmt.Sprintf("/audit/v1/negative-balances?cursor=100:%s:stx", "SP9"), "/readyz",
		} {
			if got := reader.Get(path); got.Status != http.StatusOK && path != "/readyz" {
				t.Fatalf("%s: got %d %s", path, got.Status, got.Body)
			}
		}
	}
	pool.Close()
	apitest.WaitForSessions(t, s.Pool)
	for table, count := range scans() {
		if count > before[table] && table != "chain_v1.gap" && table != "chain_v1.microblock" { // both are small
			t.Errorf("%s was scanned %d times", table, count-before[table])
		}
	}
}
