package balances

import (
	"github.com/jackc/pgx/v5"

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

// touchedShards are the shards that change with a block.
type touchedShards struct{ *projections.Touched }

// queueTouched queues the query of the shards that change with the tip, which was just applied or is about to be reverted. What
// it returns has them when the batch has run: nil, which stands for all shards, for the first block and when all locks of a
// version of PoX end.
func (b *batch) queueTouched(into *pgx.Batch, step projections.Step) *touchedShards {
	found := &touchedShards{}
	into.Queue(b.spec.SQL(touchedSQL), step.Height).Query(func(rows pgx.Rows) error {
		var allAccounts bool
		var blockHash hash.Hash32
		var accounts []string
		_, err := pgx.ForEachRow(rows, []any{&allAccounts, &blockHash, &accounts}, func() error {
			if allAccounts {
				return nil
			}
			found.Touched = projections.NewTouched()
			found.Add(shard.Height(step.Height), shard.Block(step.IndexBlockHash), shard.Block(blockHash))
			for _, account := range accounts {
				found.Add(shard.Account(account))
			}
			return nil
		})
		return err
	})
	return found
}
