package balances

import (
	"context"
	"fmt"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/projections"
)

// touchedSQL finds the accounts whose state at the newest block, which is at height $1, is not what it was below it:
// those that the block has rows of, and those whose lock ends with it because its Bitcoin height passes theirs. When it
// passes the height at which all locks of a version of PoX end, everybody may be concerned.
const touchedSQL = `
	WITH here AS (
		SELECT * FROM {schema}.block WHERE height = $1
	), below AS (
		SELECT * FROM {schema}.block WHERE height < $1 ORDER BY height DESC LIMIT 1
	)
	SELECT (here.burn_block_height > here.pox_v1_unlock_height) IS TRUE <> (below.burn_block_height > below.pox_v1_unlock_height) IS TRUE
	       OR (here.burn_block_height > here.pox_v2_unlock_height) IS TRUE <> (below.burn_block_height > below.pox_v2_unlock_height) IS TRUE
	       OR (here.burn_block_height > here.pox_v3_unlock_height) IS TRUE <> (below.burn_block_height > below.pox_v3_unlock_height) IS TRUE
	       OR (here.burn_block_height > here.pox_v4_unlock_height) IS TRUE <> (below.burn_block_height > below.pox_v4_unlock_height) IS TRUE,
	       here.block_hash,
	       ARRAY(
	           SELECT account FROM {schema}.ledger WHERE height = $1
	           UNION SELECT account FROM {schema}.stx_lock WHERE height = $1
	           UNION SELECT account FROM {schema}.nonce WHERE height = $1
	           UNION SELECT account FROM {schema}.stx_lock
	           WHERE unlock_height >= least(below.burn_block_height, here.burn_block_height)
	             AND unlock_height < greatest(below.burn_block_height, here.burn_block_height)
	       )
	FROM here CROSS JOIN below`

// touched is what readers must read again because of the newest block, which was just applied or is about to be
// reverted. With the first block everything begins.
func (b *batch) touched(ctx context.Context, step projections.Step) (*projections.Touched, error) {
	rows, err := b.tx.Query(ctx, b.spec.SQL(touchedSQL), step.Height)
	if err != nil {
		return nil, fmt.Errorf("read what the block touches: %w", err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	var everybody bool
	var blockHash hash.Hash32
	var accounts []string
	if err := rows.Scan(&everybody, &blockHash, &accounts); err != nil {
		return nil, fmt.Errorf("read what the block touches: %w", err)
	}
	rows.Close()
	if everybody || rows.Err() != nil {
		return nil, rows.Err()
	}
	touched := projections.NewTouched()
	touched.Add(shard.Height(step.Height), shard.Block(step.IndexBlockHash), shard.Block(blockHash))
	for _, account := range accounts {
		touched.Add(shard.Account(account))
	}
	return touched, nil
}
