package pox

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/shard"
	"strata/projections"
)

// apply applies blocks. It collects their events, and writes them at the end and before each block with a set of
// signers, whose stackers follow from all earlier events.
func (b *batch) apply(ctx context.Context, steps []projections.Step) error {
	if err := projections.CheckParents(b.tip, steps); err != nil {
		return err
	}
	r := &eventBatch{batch: b}
	var blocks [][]any
	for i := range steps {
		step := &steps[i]
		content := step.Block
		tip := step.Tip()
		b.tip = &tip
		blocks = append(blocks, []any{step.BlockSeq, b.tip.Height, b.tip.BurnBlockHeight, b.tip.IndexBlockHash[:], b.tip.BlockHash[:]})
		if set := signersOf(content); set != nil {
			if err := r.write(ctx); err != nil {
				return err
			}
			if err := b.cycle(ctx, step, set); err != nil {
				return err
			}
		}
		r.block(step)
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	return b.copy(ctx, "block", "source_seq height burn_block_height index_block_hash block_hash", blocks)
}

// revert reverts the blocks at height from and above. newest is the step of the newest one.
func (b *batch) revert(ctx context.Context, newest projections.Step, from int64) error {
	if b.tip == nil || newest.IndexBlockHash != b.tip.IndexBlockHash {
		return fmt.Errorf("block %s is not the tip of this projection", newest.IndexBlockHash)
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`DELETE FROM {schema}.cycle WHERE height >= $1 RETURNING cycle_number`), from).Query(projections.EachValue(func(number int64) {
		b.lists.Remove(listCycles, [3]int64{number})
		b.touched.Add(shard.Cycles)
	}))
	queries.Queue(b.sql(`DELETE FROM {schema}.event WHERE height >= $1 RETURNING contract`), from).Query(projections.EachValue(func(contract int) { b.touched.Add(shard.StackingEvents(contract)) }))
	for _, table := range []string{"signer", "stacker", "delegation", "stacking", "commitment", "pox5_stake", "pox5_key", "block"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1`), from)
	}
	queries.Queue(b.sql(`UPDATE {schema}.delegation SET until_height = NULL WHERE until_height >= $1`), from)
	err := b.tx.SendBatch(ctx, queries).Close()
	if err == nil {
		b.tip, err = b.spec.ReadTip(ctx, b.tx)
	}
	return err
}
