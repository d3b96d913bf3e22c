package apitest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// fill makes the tables large enough that the planner has a choice: a chain of n blocks, and n accounts, of which the
// first has many changes and many assets.
func (s *Site) Fill(n int) {
	s.T.Helper()
	s.Exec(`
		INSERT INTO chain_v1.block (source_seq, height, size, burn_block_height, burn_block_time,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
			index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
		SELECT h + 100, h, 0, h, h, 0, 0, 0, 0, 0, 0, 0, 0, true, false, sha256(('i' || h)::bytea), sha256(('i' || h - 1)::bytea),
		       sha256(('b' || h)::bytea), sha256(('b' || h - 1)::bytea), sha256('x'), sha256('x'), sha256('x')
		FROM generate_series(61, $1::int) h`, n)
	s.Exec(`INSERT INTO chain_v1.canonical SELECT h, h + 100, h + 100 FROM generate_series(61, $1::int) h`, n)
	s.Exec(`INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) SELECT h - 9, h, h + 100, 0, h + 100, 1, sha256(('i' || h)::bytea) FROM generate_series(61, $1::int) h`, n)
	s.Exec(`INSERT INTO balances_v1.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
		SELECT h, h + 100, h, sha256(('i' || h)::bytea), sha256(('b' || h)::bytea) FROM generate_series(61, $1::int) h`, n)
	const entry = `INSERT INTO balances_v1.entry (height, source_seq, holding, n, tx_index, pointer, cause, delta, balance, received, fees, rewards) `
	s.Exec(entry+`SELECT 60 + i, 160 + i, (SELECT id FROM balances_v1.holding WHERE account = $2 AND asset = 'stx'), i, 0, 0, 1, 1, i, i, 0, 0 FROM generate_series(5, $1::int - 60) i`, n, Alice)
	s.Exec(`INSERT INTO balances_v1.holding (n, height, source_seq, id, balance, sent, received, fees, rewards, account, asset, kind)
		SELECT 1, 60 + i, 160 + i, i + (SELECT count(*) FROM balances_v1.holding), 1, 0, 1, 0, 0, CASE WHEN i <= 300 THEN $2 ELSE 'SP' || i END, 'token-' || i, 'ft' FROM generate_series(1, $1::int - 60) i`, n, Alice)
	s.Exec(entry + `SELECT height, source_seq, id, n, 0, 0, 4, 1, 1, 1, 0, 0 FROM balances_v1.holding WHERE asset LIKE 'token-%'`)
	s.Exec(`INSERT INTO balances_v1.stx_lock SELECT 60 + i, 160 + i, 1000000, 0, 0, 4, 1, CASE WHEN i % 100 = 0 THEN $2 ELSE 'SP' || i END, 'stx_lock_event', '', sha256('x') FROM generate_series(1, $1::int - 60) i`, n, Alice)
	s.Exec(`INSERT INTO balances_v1.negative_balance SELECT 60 + i, 160 + i, -1, 'SP' || i, 'stx', 'fee', '' FROM generate_series(1, $1::int - 60) i`, n)
	s.Tip(n)
	for _, table := range []string{"chain_v1.block", "chain_v1.canonical", "chain_v1.step", "balances_v1.block", "balances_v1.entry", "balances_v1.holding", "balances_v1.stx_lock", "balances_v1.negative_balance"} {
		s.Exec(`ANALYZE ` + table)
	}
}

// waitForSessions returns when nobody but pool is connected.
func WaitForSessions(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	eventually.Holds(t, "other sessions end", func() bool {
		var others int
		must.Do(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others))
		return others == 0
	})
}
