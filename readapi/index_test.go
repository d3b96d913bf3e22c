package readapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/readapi"
)

// fill makes the tables large enough that the planner has a choice: a chain of n blocks, and n accounts, of which the
// first has many changes and many assets.
func (s *site) fill(n int) {
	s.t.Helper()
	s.exec(`
		INSERT INTO chain_v1.block (source_seq, height, size, burn_block_height, burn_block_time,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
			index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
		SELECT h + 100, h, 0, h, h, 0, 0, 0, 0, 0, 0, 0, 0, true, false, sha256(('i' || h)::bytea), sha256(('i' || h - 1)::bytea),
		       sha256(('b' || h)::bytea), sha256(('b' || h - 1)::bytea), sha256('x'), sha256('x'), sha256('x')
		FROM generate_series(61, $1::int) h`, n)
	s.exec(`INSERT INTO chain_v1.canonical SELECT h, h + 100, h + 100 FROM generate_series(61, $1::int) h`, n)
	s.exec(`INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) SELECT h - 9, h, h + 100, 0, h + 100, 1, sha256(('i' || h)::bytea) FROM generate_series(61, $1::int) h`, n)
	s.exec(`INSERT INTO balances_v1.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
		SELECT h, h + 100, h, sha256(('i' || h)::bytea), sha256(('b' || h)::bytea) FROM generate_series(61, $1::int) h`, n)
	s.exec(`INSERT INTO balances_v1.ledger SELECT i, 60 + i, 160 + i, 0, 1, i, 0, i, 0, 0, $2, 'stx', 'test', '' FROM generate_series(5, $1::int - 60) i`, n, alice)
	s.exec(`INSERT INTO balances_v1.ledger SELECT 1, 60 + i, 160 + i, 0, 1, 1, 0, 1, 0, 0, CASE WHEN i <= 300 THEN $2 ELSE 'SP' || i END, 'token-' || i, 'test', '' FROM generate_series(1, $1::int - 60) i`, n, alice)
	s.exec(`INSERT INTO balances_v1.holding SELECT 1, height, source_seq, 1, 0, 1, 0, 0, account, asset, 'ft' FROM balances_v1.ledger WHERE asset LIKE 'token-%'`)
	s.exec(`INSERT INTO balances_v1.stx_lock SELECT 60 + i, 160 + i, 1000000, 0, 0, 4, 1, CASE WHEN i % 100 = 0 THEN $2 ELSE 'SP' || i END, 'stx_lock_event', '', sha256('x') FROM generate_series(1, $1::int - 60) i`, n, alice)
	s.exec(`INSERT INTO balances_v1.negative_balance SELECT 60 + i, 160 + i, -1, 'SP' || i, 'stx', 'fee', '' FROM generate_series(1, $1::int - 60) i`, n)
	s.tip(n)
	for _, table := range []string{"chain_v1.block", "chain_v1.canonical", "chain_v1.step", "balances_v1.block", "balances_v1.ledger", "balances_v1.holding", "balances_v1.stx_lock", "balances_v1.negative_balance"} {
		s.exec(`ANALYZE ` + table)
	}
}

// No answer scans a table that grows with the chain, at any depth and with generic plans, too.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	const n = 20_000
	s.fill(n)
	scans := func() map[string]int64 {
		rows, err := s.pool.Query(t.Context(), `SELECT schemaname || '.' || relname, seq_scan FROM pg_catalog.pg_stat_user_tables WHERE schemaname IN ('chain_v1', 'balances_v1')`)
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
	s.pool.Reset()
	waitForSessions(t, s.pool)
	before := scans()

	config, err := pgxpool.ParseConfig(s.pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	reader := newSiteOn(t, pool, readapi.Config{})
	var deep string
	if err := s.pool.QueryRow(t.Context(), `SELECT encode(index_block_hash, 'hex') FROM chain_v1.block WHERE height = 500`).Scan(&deep); err != nil {
		t.Fatal(err)
	}
	for range 8 { // the server chooses a generic plan from the sixth time on
		for _, path := range []string{
			"/extended", "/extended/v2/blocks", "/extended/v2/blocks?cursor=" + deep, "/extended/v2/blocks/latest", "/extended/v2/blocks/500", "/extended/v2/blocks/" + deep,
			"/extended/v1/address/" + alice + "/stx", "/extended/v1/address/" + alice + "/stx?until_block=500", "/extended/v1/address/" + alice + "/stx?until_block=" + deep,
			"/extended/v1/address/" + alice + "/balances", "/extended/v1/address/" + alice + "/balances?until_block=500",
			"/audit/v1/negative-balances", fmt.Sprintf("/audit/v1/negative-balances?cursor=100:%s:stx", "SP9"), "/readyz",
		} {
			if got := reader.get(path); got.status != http.StatusOK && path != "/readyz" {
				t.Fatalf("%s: got %d %s", path, got.status, got.body)
			}
		}
	}
	pool.Close()
	waitForSessions(t, s.pool)
	for table, count := range scans() {
		if count > before[table] && table != "chain_v1.gap" && table != "chain_v1.microblock" { // both are small
			t.Errorf("%s was scanned %d times", table, count-before[table])
		}
	}
}

// waitForSessions returns when nobody but pool is connected.
func waitForSessions(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var others int
		err := pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			return
		}
	}
	t.Fatal("other sessions don't end")
}
