package balances

import (
	"context"
	"fmt"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/projections"
)

// touchedSQL selects the accounts whose state changes with the tip, which is at height $1: those that the block has
// rows of, and those whose lock ends because its Bitcoin height reaches their unlock height. Its first column is true
// if the block reaches the height at which all locks of a version of PoX end, because any account may change then.
const touchedSQL = `
	WITH here AS (
		SELECT * FROM {schema}.block WHERE height = $1
	), below AS (
		SELECT * FROM {schema}.block WHERE height < $1 ORDER BY height DESC LIMIT 1
	)
	SELECT (here.burn_block_height >= here.pox_v1_unlock_height) IS TRUE <> (below.burn_block_height >= below.pox_v1_unlock_height) IS TRUE
	       OR (here.burn_block_height >= here.pox_v2_unlock_height) IS TRUE <> (below.burn_block_height >= below.pox_v2_unlock_height) IS TRUE
	       OR (here.burn_block_height >= here.pox_v3_unlock_height) IS TRUE <> (below.burn_block_height >= below.pox_v3_unlock_height) IS TRUE
	       OR (here.burn_block_height >= here.pox_v4_unlock_height) IS TRUE <> (below.burn_block_height >= below.pox_v4_unlock_height) IS TRUE,
	       here.block_hash,
	       ARRAY(
	           SELECT account FROM {schema}.ledger WHERE height = $1
	           UNION SELECT account FROM {schema}.stx_lock WHERE height = $1
	           UNION SELECT account FROM {schema}.nonce WHERE height = $1
	           UNION SELECT account FROM {schema}.stx_lock
	           WHERE unlock_height > least(below.burn_block_height, here.burn_block_height)
	             AND unlock_height <= greatest(below.burn_block_height, here.burn_block_height)
	       )
	FROM here CROSS JOIN below`

// touched returns the shards that change with the tip, which was just applied or is about to be reverted. It returns
// nil, which stands for all shards, for the first block and when all locks of a version of PoX end.
func (b *batch) touched(ctx context.Context, step projections.Step) (*projections.Touched, error) {
	rows, err := b.tx.Query(ctx, b.spec.SQL(touchedSQL), step.Height)
	if err != nil {
		return nil, fmt.Errorf("read what the block touches: %w", err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	var allAccounts bool
	var blockHash hash.Hash32
	var accounts []string
	if err := rows.Scan(&allAccounts, &blockHash, &accounts); err != nil {
		return nil, fmt.Errorf("read what the block touches: %w", err)
	}
	rows.Close()
	if allAccounts || rows.Err() != nil {
		return nil, rows.Err()
	}
	touched := projections.NewTouched()
	touched.Add(shard.Height(step.Height), shard.Block(step.IndexBlockHash), shard.Block(blockHash))
	for _, account := range accounts {
		touched.Add(shard.Account(account))
	}
	return touched, nil
}
