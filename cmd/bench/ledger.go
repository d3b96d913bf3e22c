package main

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/c32"
	"strata/projections/balances"
	"strata/projections/chain"
)

// ledgerPerBlock is how many rows of the ledger a block has.
const ledgerPerBlock = 20

// ledger makes a database with as many accounts and changes of their balances. The first account has a tenth of all the
// changes; the others share the rest evenly.
func (b *bench) ledger(ctx context.Context, name string, accounts, rows int) (url string, err error) {
	url, pool, err := b.database(ctx, name)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	server, err := b.serve(ctx, url) // makes the tables
	if err != nil {
		return "", err
	}
	server.stop()
	blocks := rows / ledgerPerBlock
	if _, err := pool.Exec(ctx, `CREATE TABLE public.account (number int PRIMARY KEY, name text)`); err != nil {
		return "", err
	}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"public", "account"}, []string{"number", "name"},
		pgx.CopyFromSlice(accounts, func(i int) ([]any, error) { return []any{i, benchAccount(i)}, nil }))
	if err != nil {
		return "", err
	}
	for _, query := range []string{
		`INSERT INTO log.event SELECT 1, now(), 0, NULL, sha256(''), 'bench', '/bench', '', NULL, ''`,
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
		balances.Spec().SQL(`ANALYZE {schema}.ledger`), balances.Spec().SQL(`ANALYZE {schema}.holding`), balances.Spec().SQL(`ANALYZE {schema}.block`),
		chain.Spec().SQL(`ANALYZE {schema}.block`), chain.Spec().SQL(`ANALYZE {schema}.canonical`),
		fmt.Sprintf(`UPDATE strata.projection SET position = %[1]d, log_seq = %[1]d, block_height = %[1]d, index_block_hash = sha256('%[1]d'), block_hash = sha256('%[1]d'), burn_block_height = %[1]d`, blocks),
	} {
		if _, err := pool.Exec(ctx, query); err != nil {
			return "", fmt.Errorf("%.60s…: %w", query, err)
		}
	}
	return url, nil
}

func benchAccount(i int) string {
	address := c32.Address{Version: c32.MainnetSingle}
	binary.BigEndian.PutUint64(address.Hash160[:], uint64(i)+1)
	return address.String()
}
