package reads

import (
	"strconv"
	"strings"

	"strata/cmd/bench/internal/bench"
	"strata/projections/chain"
	"strata/projections/staking"
)

const (
	// bondMembers is the number of members of the bond: as many as one setup can allow.
	bondMembers = 1000
	// signerManager is the signer manager of all, and signerKey is its key.
	signerManager = "SP000000000000000000002Q6VF78.signer"
	signerKey     = "0x020101010101010101010101010101010101010101010101010101010101010101"
	// tipBurn is the height of the newest Bitcoin block, in cycle 13 of 100 blocks each.
	tipBurn = 1350
)

// stakersWorld has so many stakers, each in a block of its own. They are under one signer manager. Half of their stakes are over;
// each cycle had two calculations.
type stakersWorld struct{ Stakers int }

// stakersRows inserts the rows of the projection's tables.
var stakersRows = []string{
	`INSERT INTO {staking}.block SELECT h, h, h * {tip}::bigint / {all}, h * 86, decode(lpad(to_hex(h), 64, '0'), 'hex'), sha256(h::text::bytea) FROM generate_series(1, {all}) h`,
	`INSERT INTO {staking}.event SELECT i, 1, CASE WHEN i <= {members} THEN i END, CASE WHEN i <= {members} THEN 0 END, i, i, 0, 0, true,
		decode(lpad(to_hex(i), 64, '0'), 'hex'), 'stake', address FROM public.name WHERE i > 0`,
	`INSERT INTO {staking}.anchor VALUES (1, 100, 1, 1), (13, 1300, 1, 1)`,
	`INSERT INTO {staking}.bond VALUES (0, 1, 1, 1, 13, 100, 1300, {members}, {members}, 500, 2500, 2000, 1, 0, {members}, {members}, 7, 7, 7, '\xac')`,
	`INSERT INTO {staking}.allowlist SELECT i, NULL, 0, i, 7, address FROM public.name WHERE i BETWEEN 1 AND {members}`,
	`INSERT INTO {staking}.registration SELECT i, NULL, i, 0, i, 1, 13, 1300, 1, false, 7, 7, 7, address, '{manager}' FROM public.name WHERE i BETWEEN 1 AND {members}`,
	`INSERT INTO {staking}.stake SELECT i, NULL, i, i, 1, 20, CASE WHEN i % 2 = 0 THEN 1300 ELSE 2000 END, 7000000, address, '{manager}' FROM public.name WHERE i > {members}`,
	`INSERT INTO {staking}.share SELECT i, NULL, CASE WHEN i <= {members} THEN 0 ELSE -1 END, i, 1, CASE WHEN i <= {members} THEN 13 WHEN i % 2 = 0 THEN 13 ELSE 20 END,
		7000000, 7000000, address, '{manager}' FROM public.name WHERE i > 0`,
	`INSERT INTO {staking}.weight SELECT c, n, 0, n, 0, o FROM (VALUES (1, {all}), (13, -{all} / 2), (20, -{all} / 2)) w (c, n), (VALUES (''), ('{manager}')) x (o)`,
	`INSERT INTO {staking}.holding SELECT h, {all} / 2, 0, 7, 7, 7, o FROM (VALUES (1300), (2000)) w (h), (VALUES (''), ('{manager}')) x (o)`,
	`INSERT INTO {staking}.signer VALUES (1, 1, 1, '{manager}')`,
	`INSERT INTO {staking}.signer_key VALUES (1, NULL, 1, '{key}'::bytea, '{manager}')`,
	`INSERT INTO {staking}.calculation SELECT {all} + i, 1, 1 + i / 2, i * 50, 1, 1, 1, 1, 1, 1, 7000000000 FROM generate_series(1, 26) i`,
	`INSERT INTO {staking}.distribution SELECT {all} + i, {all} + i, 0, 1 + i / 2, 1, 1, 1, 1, 1, 7000000000 FROM generate_series(1, 24) i`,
	`INSERT INTO {staking}.earning SELECT {all} + i, 1 + i / 2, -1, 1, 7, 7, '{manager}' FROM generate_series(1, 26) i`,
	`INSERT INTO {staking}.cycle_set SELECT c, c, c * 100 - 10, 2, 1, 7, 1, 7 FROM generate_series(1, 14) c`,
	`INSERT INTO {staking}.set_member SELECT c, c, 1, 7, 1, 7, '{key}'::bytea FROM generate_series(1, 14) c`,
	// The block of the signer manager's registration.
	`INSERT INTO {chain}.block (source_seq, height, size, burn_block_height, burn_block_time, execution_cost_read_count, execution_cost_read_length,
		execution_cost_runtime, execution_cost_write_count, execution_cost_write_length, tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
		index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
	SELECT 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, true, true, h, h, h, h, h, h, h FROM sha256('1') h`,
}

// sql fills in the placeholders of the world's queries.
func (w stakersWorld) sql(query string) string {
	return strings.NewReplacer(
		"{all}", strconv.Itoa(w.Stakers), "{members}", strconv.Itoa(bondMembers), "{tip}", strconv.Itoa(tipBurn), "{manager}", signerManager, "{key}", `\x`+signerKey[2:],
		"{chain}", chain.Spec().String(), "{staking}", staking.Spec().String(),
	).Replace(query)
}

func (w stakersWorld) world() bench.World {
	tip := bench.TipAt(w.Stakers)
	tip.BurnHeight = tipBurn
	return bench.World{Database: "staking", Tip: tip, SQL: w.sql, Accounts: w.Stakers + 1, Rows: stakersRows}
}
