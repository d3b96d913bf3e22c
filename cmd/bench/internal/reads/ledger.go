package reads

import (
	"context"
	"strconv"
	"strings"

	"strata/cmd/bench/internal/bench"
	"strata/projections/balances"
	"strata/projections/chain"
)

// ledgerPerBlock is the number of ledger rows per block.
const ledgerPerBlock = 20

// ledger creates a database with accounts, locks of theirs and ledger rows, which are changes of their balances. The first
// account has a tenth of all rows; the others share the rest evenly.
func (b *Bench) ledger(ctx context.Context, name string, accounts, rows int) (url string, err error) {
	fill := strings.NewReplacer("{blocks}", strconv.Itoa(rows/ledgerPerBlock), "{each}", strconv.Itoa(ledgerPerBlock), "{rows}", strconv.Itoa(rows),
		"{accounts}", strconv.Itoa(accounts), "{chain}", chain.Spec().String(), "{balances}", balances.Spec().String())
	return b.Create(ctx, bench.World{
		Database: name, Tip: bench.TipAt(rows / ledgerPerBlock), SQL: fill.Replace, Accounts: accounts,
		Large: []string{"{balances}.ledger"}, Rows: ledgerRows,
	})
}

var ledgerRows = []string{
	`INSERT INTO {chain}.block (source_seq, height, size, burn_block_height, burn_block_time,
		execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
		tx_count, event_count, parent_microblock_sequence, attached, nakamoto, index_block_hash, parent_index_block_hash, block_hash,
		parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
	SELECT h, h, 0, h, h, 0, 0, 0, 0, 0, 0, 0, 0, true, true, sha256(h::text::bytea), sha256((h-1)::text::bytea), sha256(h::text::bytea),
	       sha256((h-1)::text::bytea), sha256(h::text::bytea), sha256(h::text::bytea), sha256(''::bytea) FROM generate_series(1, {blocks}) h`,
	`INSERT INTO {chain}.canonical SELECT h, h, h FROM generate_series(1, {blocks}) h`,
	`INSERT INTO {balances}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
	SELECT h, h, h, sha256(h::text::bytea), sha256(h::text::bytea) FROM generate_series(1, {blocks}) h`,
	`INSERT INTO {balances}.ledger (n, height, source_seq, tx_index, delta, balance, sent, received, fees, rewards, account, asset, cause, pointer)
	SELECT row_number() OVER (PARTITION BY address ORDER BY n), n / {each} + 1, n / {each} + 1, n % {each}, 5, 5 * n, 0, 5 * n, 0, 0, address, 'stx', 'stx_transfer_event', '/events/0'
	FROM generate_series(0::bigint, {rows} - 1) n JOIN public.name ON i = CASE WHEN n % 10 = 0 THEN 0 ELSE (n * 7919) % {accounts} END`,
	`INSERT INTO {balances}.holding SELECT DISTINCT ON (account, asset) n, height, source_seq, balance, sent, received, fees, rewards, account, asset, 'stx'
	FROM {balances}.ledger ORDER BY account, asset, n DESC`,
	`INSERT INTO {balances}.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
	SELECT 1, 1, 1000000000, 0, 0, 4, 5, address, 'stx_lock_event', '/events/0', sha256(address::bytea) FROM public.name`,
}
