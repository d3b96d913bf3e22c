package reads

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/cmd/bench/internal/bench"
	"strata/projections/balances"
	"strata/projections/chain"
)

// ledgerPerBlock is the number of ledger rows per block.
const ledgerPerBlock = 20

// ledger creates a database with accounts and ledger rows, which are changes of their balances. The first account has a
// tenth of all rows; the others share the rest evenly.
func (b *Bench) ledger(ctx context.Context, name string, accounts, rows int) (url string, err error) {
	url, pool, err := b.EmptyTables(ctx, name)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	blocks := rows / ledgerPerBlock
	if _, err := pool.Exec(ctx, `CREATE TABLE public.account (number int PRIMARY KEY, name text)`); err != nil {
		return "", err
	}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"public", "account"}, []string{"number", "name"},
		pgx.CopyFromSlice(accounts, func(i int) ([]any, error) { return []any{i, bench.Account(i)}, nil }))
	if err != nil {
		return "", err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	restore, err := bench.DropIndexes(ctx, conn, []string{balances.Spec().SQL(`{schema}.ledger`)})
	if err != nil {
		return "", err
	}
	err = bench.ExecAll(ctx, conn, bench.MuchMemory,
		chain.Spec().SQL(fmt.Sprintf(`INSERT INTO {schema}.block (source_seq, height, size, burn_block_height, burn_block_time,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			tx_count, event_count, parent_microblock_sequence, attached, nakamoto, index_block_hash, parent_index_block_hash, block_hash,
			parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
			SELECT h, h, 0, h, h, 0, 0, 0, 0, 0, 0, 0, 0, true, true, sha256(h::text::bytea), sha256((h-1)::text::bytea), sha256(h::text::bytea),
			sha256((h-1)::text::bytea), sha256(h::text::bytea), sha256(h::text::bytea), sha256(''::bytea) FROM generate_series(1, %d) h`, blocks)),
		chain.Spec().SQL(fmt.Sprintf(`INSERT INTO {schema}.canonical SELECT h, h, h FROM generate_series(1, %d) h`, blocks)),
		balances.Spec().SQL(fmt.Sprintf(`INSERT INTO {schema}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
			SELECT h, h, h, sha256(h::text::bytea), sha256(h::text::bytea) FROM generate_series(1, %d) h`, blocks)),
		balances.Spec().SQL(fmt.Sprintf(`INSERT INTO {schema}.ledger (n, height, source_seq, tx_index, delta, balance, sent, received, fees, rewards, account, asset, cause, pointer)
			SELECT row_number() OVER (PARTITION BY a.name ORDER BY i), i / %[2]d + 1, i / %[2]d + 1, i %% %[2]d, 5, 5 * i, 0, 5 * i, 0, 0, a.name, 'stx', 'stx_transfer_event', '/events/0'
			FROM generate_series(0::bigint, %[3]d - 1) i
			JOIN public.account a ON a.number = CASE WHEN i %% 10 = 0 THEN 0 ELSE (i * 7919) %% %[1]d END`, accounts, ledgerPerBlock, rows)),
		balances.Spec().SQL(`INSERT INTO {schema}.holding SELECT DISTINCT ON (account, asset) n, height, source_seq, balance, sent, received, fees, rewards, account, asset, 'stx'
			FROM {schema}.ledger ORDER BY account, asset, n DESC`),
	)
	if err == nil {
		err = bench.ExecAll(ctx, conn, restore...)
	}
	if err != nil {
		return "", err
	}
	err = bench.ExecAll(ctx, conn,
		balances.Spec().SQL(`VACUUM (ANALYZE) {schema}.ledger`), balances.Spec().SQL(`ANALYZE {schema}.holding`), balances.Spec().SQL(`ANALYZE {schema}.block`),
		chain.Spec().SQL(`ANALYZE {schema}.block`), chain.Spec().SQL(`ANALYZE {schema}.canonical`),
	)
	if err != nil {
		return "", err
	}
	return url, bench.TipAt(blocks).Write(ctx, pool)
}
