package balances

import (
	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/projections"
)

// A step changes the accounts that its block has rows of, and those whose lock ends, or is in force again, because the Bitcoin
// height reaches their unlock height. Any account may change when the block reaches, and the one below does not, the height at
// which all locks of a version of PoX end.

// endedSQL selects whether all locks of a version of PoX end between the block below height $1 and one with the Bitcoin height $2
// and the unlock heights $3 to $6, and the accounts of other locks that end.
const endedSQL = `
	SELECT ($2::bigint >= $3::bigint) IS TRUE <> (below.burn_block_height >= below.pox_v1_unlock_height) IS TRUE
	       OR ($2 >= $4::bigint) IS TRUE <> (below.burn_block_height >= below.pox_v2_unlock_height) IS TRUE
	       OR ($2 >= $5::bigint) IS TRUE <> (below.burn_block_height >= below.pox_v3_unlock_height) IS TRUE
	       OR ($2 >= $6::bigint) IS TRUE <> (below.burn_block_height >= below.pox_v4_unlock_height) IS TRUE,
	       ARRAY(
	           SELECT account FROM {schema}.stx_lock
	           WHERE unlock_height > least(below.burn_block_height, $2) AND unlock_height <= greatest(below.burn_block_height, $2)
	       )
	FROM (SELECT * FROM {schema}.block WHERE height < $1 ORDER BY height DESC LIMIT 1) below`

// revertedSQL selects the same between the tip, which is at height $1, and the block below, and all accounts that the tip has rows
// of.
const revertedSQL = `
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
	           SELECT h.account FROM (SELECT DISTINCT holding FROM {schema}.entry WHERE height = $1) e JOIN {schema}.holding h ON h.id = e.holding
	           UNION SELECT account FROM {schema}.stx_lock WHERE height = $1
	           UNION SELECT account FROM {schema}.nonce WHERE height = $1
	           UNION SELECT account FROM {schema}.stx_lock
	           WHERE unlock_height > least(below.burn_block_height, here.burn_block_height)
	             AND unlock_height <= greatest(below.burn_block_height, here.burn_block_height)
	       )
	FROM here CROSS JOIN below`

// touchedShards are the shards that change with a block; nil, which stands for all, for the first block and when all locks of a
// version of PoX end.
type touchedShards struct{ *projections.Touched }

func (t *touchedShards) add(step projections.Step, blockHash hash.Hash32, accounts []string) {
	t.Touched = projections.NewTouched()
	t.AddBlock(step.Height, step.IndexBlockHash, blockHash)
	t.AddAccounts(accounts)
}

// addEffects adds the accounts that a block has rows of.
func (t *touchedShards) addEffects(e *effects) {
	if t.Touched == nil {
		return
	}
	for i := range e.changes {
		t.Add(shard.Account(e.changes[i].account))
	}
	for i := range e.locks {
		t.Add(shard.Account(e.locks[i].account))
	}
	for i := range e.uses {
		t.Add(shard.Account(e.uses[i].account))
	}
}

// queueEnded queues the query of the accounts that change with a block that is about to be applied, besides those that it has rows
// of. What it returns has them when the batch has run.
func (b *batch) queueEnded(into *pgx.Batch, step projections.Step) *touchedShards {
	ended, c := &touchedShards{}, step.Block
	into.Queue(b.spec.SQL(endedSQL), step.Height, int64(c.BurnBlockHeight),
		height(c.PoxV1UnlockHeight), height(c.PoxV2UnlockHeight), height(c.PoxV3UnlockHeight), height(c.PoxV4UnlockHeight)).
		Query(func(rows pgx.Rows) error {
			var all bool
			var accounts []string
			_, err := pgx.ForEachRow(rows, []any{&all, &accounts}, func() error {
				if !all {
					ended.add(step, c.BlockHash, accounts)
				}
				return nil
			})
			return err
		})
	return ended
}

// queueReverted queues the query of the accounts that change with a block that is about to be reverted.
func (b *batch) queueReverted(into *pgx.Batch, step projections.Step) *touchedShards {
	reverted := &touchedShards{}
	into.Queue(b.spec.SQL(revertedSQL), step.Height).Query(func(rows pgx.Rows) error {
		var all bool
		var blockHash hash.Hash32
		var accounts []string
		_, err := pgx.ForEachRow(rows, []any{&all, &blockHash, &accounts}, func() error {
			if !all {
				reverted.add(step, blockHash, accounts)
			}
			return nil
		})
		return err
	})
	return reverted
}
