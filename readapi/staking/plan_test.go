package staking_test

import (
	"fmt"
	"testing"

	"strata/internal/synth/synthstaking"
	"strata/projections/chain"
	"strata/projections/staking"
	"strata/rig/apitest"
)

const (
	manyStakers = 30_000
	bondMembers = 1_000
)

// manager is a signer manager in the tables that fill makes.
const manager = "SP000000000000000000002Q6VF78.signer"

// staker returns the name of a staker in these tables.
func staker(n int) string { return fmt.Sprintf("SP%028d", n) }

// fill makes the tables of many stakers under one signer manager, half of whose stakes are over, and of a bond with as many
// members as one can have, in cycles 1 to 20 of which each had two calculations.
func fill(s *apitest.Site) {
	s.T.Helper()
	s.ChainTables(staking.Spec(), 10_000, 1350)
	in := func(sql string, args ...any) { s.T.Helper(); s.Exec(staking.Spec().SQL(sql), args...) }
	const names = `'SP' || lpad(i::text, 28, '0')`
	in(`INSERT INTO {schema}.block SELECT h, h, h / 7, h * 86, decode(lpad(to_hex(h), 64, '0'), 'hex'), '\x01' FROM generate_series(1, 10000) h`)
	in(`INSERT INTO {schema}.event SELECT i, 1, CASE WHEN i <= $2 THEN i END, CASE WHEN i <= $2 THEN 0 END, i, i, 0, 0, true, decode(lpad(to_hex(i), 64, '0'), 'hex'), 'stake', `+names+`
		FROM generate_series(1, $1::int) i`, manyStakers, bondMembers)
	s.Exec(chain.Spec().SQL(`
		INSERT INTO {schema}.block (source_seq, height, size, burn_block_height, burn_block_time, execution_cost_read_count, execution_cost_read_length,
			execution_cost_runtime, execution_cost_write_count, execution_cost_write_length, tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
			index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
		VALUES (1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, true, true, $1, $1, $1, $1, $1, $1, $1)`), apitest.ID(1, 1))
	in(`INSERT INTO {schema}.anchor VALUES (1, 100, 1, 1), (13, 1300, 1, 1)`)
	in(`INSERT INTO {schema}.bond VALUES (0, 1, 1, 1, 13, 100, 1300, $1::int, $1::int, 500, 2500, 2000, 1, 0, $1::int, $1::int, 7, 7, 7, '\xac')`, bondMembers)
	in(`INSERT INTO {schema}.allowlist SELECT i, NULL, 0, i, 7, `+names+` FROM generate_series(1, $1::int) i`, bondMembers)
	in(`INSERT INTO {schema}.registration SELECT i, NULL, i, 0, i, 1, 13, 1300, 1, true, 7, 7, 7, `+names+`, $2 FROM generate_series(1, $1::int) i`, bondMembers, manager)
	in(`INSERT INTO {schema}.stake SELECT i, NULL, i, i, 1, 20, CASE WHEN i % 2 = 0 THEN 1300 ELSE 2000 END, 7000000, `+names+`, $3 FROM generate_series($2::int + 1, $1::int) i`,
		manyStakers, bondMembers, manager)
	in(`INSERT INTO {schema}.share SELECT i, NULL, CASE WHEN i <= $2 THEN 0 ELSE -1 END, i, 1, CASE WHEN i <= $2 THEN 13 WHEN i % 2 = 0 THEN 13 ELSE 20 END, 7000000, 7000000, `+names+`, $3
		FROM generate_series(1, $1::int) i`, manyStakers, bondMembers, manager)
	in(`INSERT INTO {schema}.weight SELECT c, n, 0, n, 0, o FROM (VALUES (1, $1::int), (13, -$1::int / 2), (20, -$1::int / 2)) w (c, n), (VALUES (''), ($2)) x (o)`, manyStakers, manager)
	in(`INSERT INTO {schema}.holding SELECT h, $1::int / 2, 0, 7, 7, 7, o FROM (VALUES (1300), (2000)) w (h), (VALUES (''), ($2)) x (o)`, manyStakers, manager)
	in(`INSERT INTO {schema}.signer VALUES (1, 1, 1, $1)`, manager)
	in(`INSERT INTO {schema}.signer_key VALUES (1, NULL, 1, $2, $1)`, manager, synthstaking.Key(1))
	in(`INSERT INTO {schema}.calculation SELECT $1::int + i, 1, 1 + i / 2, i * 50, 1, 1, 1, 1, 1, 1, 7000000000 FROM generate_series(1, 26) i`, manyStakers)
	in(`INSERT INTO {schema}.distribution SELECT $1::int + i, $1::int + i, 0, 1 + i / 2, 1, 1, 1, 1, 1, 7000000000 FROM generate_series(1, 24) i`, manyStakers)
	in(`INSERT INTO {schema}.earning SELECT $1::int + i, 1 + i / 2, -1, 1, 7, 7, $2 FROM generate_series(1, 26) i`, manyStakers, manager)
	in(`INSERT INTO {schema}.cycle_set SELECT c, c, c * 100 - 10, 2, 1, 7, 1, 7 FROM generate_series(1, 14) c`)
	in(`INSERT INTO {schema}.set_member SELECT c, c, 1, 7, 1, 7, $1 FROM generate_series(1, 14) c`, synthstaking.Key(1))
	s.Exec(`VACUUM ANALYZE`)
}

// A page costs the same wherever it is in a list, with a plan for its arguments as with one for any.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, seen := apitest.NewSeenSite(t)
	s.API.Config.Network = "testnet"
	fill(s)
	key := fmt.Sprintf("0x%x", synthstaking.Key(1))
	s.CheckTouches(seen, "staking", apitest.TouchLimits{
		{base, 20},
		{base + "/bonds", 200},
		{base + "/bonds/0", 60},
		{base + "/signers", 60},
		{base + "/signers/" + manager, 60},
		{base + "/signers/" + manager + "/stakers", 400},
		{base + "/signers/" + manager + "/stakers?cursor=" + staker(20_000), 700},
		{base + "/cycles/5", 4_500}, // it looks up what each of the 1,000 members of a bond had, and reads no other staker
		{base + "/cycles/current", 150},
		{base + "/cycles/current/signers", 150},
		{base + "/cycles/current/stakers?cursor=" + staker(20_000), 12_000}, // each of 100 stakers has 26 calculations
		{base + "/signer-keys/" + key + "/rewards", 300},
		{"/extended/v3/principals/" + staker(20_001) + "/staking", 250},
		{"/extended/v3/principals/" + staker(500) + "/staking", 250},
		{"/extended/v3/principals/" + staker(500) + "/staking/bonds", 200},
		{"/extended/v1/pox5/events?limit=0&offset=20000", 20}, // its prints are not in the tables
	})
}
