package bns

import (
	"context"

	"strata/projections"
)

// apply applies blocks. It reads all rows that they may change at once, and writes all changes at once.
func (b *batch) apply(ctx context.Context, steps []projections.Step) error {
	if err := projections.CheckParents(b.tip.block(), steps); err != nil {
		return err
	}
	before := b.tip
	blocks := make([]blockFacts, len(steps))
	tips := make([]*tip, len(steps))
	parent := b.tip
	for i := range steps {
		step := &steps[i]
		blocks[i] = b.factsOf(step, parent)
		tips[i] = &tip{Tip: step.Tip(), burnHeight: blocks[i].burnHeight}
		parent = tips[i]
	}
	s, err := b.load(ctx, blocks)
	if err != nil {
		return err
	}
	var rows [][]any
	for i := range blocks {
		for j := range blocks[i].transactions {
			x := execution{state: s, block: &blocks[i], tx: &blocks[i].transactions[j]}
			x.run()
		}
		t := tips[i]
		t.events = s.lastEvent
		rows = append(rows, []any{t.Height, steps[i].BlockSeq, t.BurnBlockHeight, t.burnHeight, t.events, t.IndexBlockHash[:], t.BlockHash[:]})
	}
	b.tip = parent
	if err := b.copy(ctx, "block", "height source_seq burn_block_height burn_height events index_block_hash block_hash", rows); err != nil {
		return err
	}
	if err := b.writeActs(ctx); err != nil {
		return err
	}
	if err := b.write(ctx, s); err != nil {
		return err
	}
	if before != nil && before.burnHeight == b.tip.burnHeight {
		return nil
	}
	return b.expire(ctx)
}
