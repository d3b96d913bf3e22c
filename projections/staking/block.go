package staking

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/shard"
	"strata/projections"
)

// poxVersion is the version of the contract whose events the projection reads.
const poxVersion = 5

// apply applies blocks.
func (b *batch) apply(ctx context.Context, steps []projections.Step) error {
	if err := projections.CheckParents(b.tip, steps); err != nil {
		return err
	}
	var events []*event
	var blocks [][]any
	var sets []*cycleSet
	for i := range steps {
		step := &steps[i]
		content := step.Block
		tip := step.Tip()
		b.tip = &tip
		blocks = append(blocks, []any{step.BlockSeq, b.tip.Height, b.tip.BurnBlockHeight, int64(content.BurnBlockTime), b.tip.IndexBlockHash[:], b.tip.BlockHash[:]})
		if set := setOf(step); set != nil {
			set.before = len(events)
			sets = append(sets, set)
		}
		events = append(events, eventsOf(step)...)
	}
	if err := b.copy(ctx, "block", "source_seq height burn_block_height burn_block_time index_block_hash block_hash", blocks); err != nil {
		return err
	}
	if len(events) == 0 && len(sets) == 0 {
		return nil
	}
	next, err := b.number(ctx, events)
	if err != nil {
		return err
	}
	if err := b.writeSets(ctx, sets, next); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	b.touched.Add(shard.StackingEvents(poxVersion))
	if err := b.writeEvents(ctx, events); err != nil {
		return err
	}
	return b.fold(ctx, events)
}

// revert reverts the blocks at height from and above. newest is the step of the newest one.
func (b *batch) revert(ctx context.Context, newest projections.Step, from int64) error {
	if b.tip == nil || newest.IndexBlockHash != b.tip.IndexBlockHash {
		return fmt.Errorf("block %s is not the tip of this projection", newest.IndexBlockHash)
	}
	var first int64
	err := b.tx.QueryRow(ctx, b.sql(`SELECT n FROM {schema}.event WHERE height >= $1 ORDER BY height, n LIMIT 1`), from).Scan(&first)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return fmt.Errorf("find the first event: %w", err)
	default:
		b.touched.Add(shard.StackingEvents(poxVersion))
		if err := b.undo(ctx, first); err != nil {
			return fmt.Errorf("undo the events from number %d on: %w", first, err)
		}
	}
	queries := &pgx.Batch{}
	for _, table := range []string{"event", "cycle_set", "set_member", "block"} {
		queries.Queue(b.sql(`DELETE FROM {schema}.`+table+` WHERE height >= $1`), from)
	}
	err = b.tx.SendBatch(ctx, queries).Close()
	if err == nil {
		b.tip, err = b.spec.ReadTip(ctx, b.tx)
	}
	return err
}
