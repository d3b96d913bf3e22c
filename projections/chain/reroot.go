package chain

import (
	"context"
	"log/slog"
)

// A log that begins above genesis has a first block whose ancestors are unknown. The node may leave that block for another
// branch, of which the log has no common ancestor with it. The blocks of that branch wait for a parent that was announced
// before the log began, and which nobody announces again. So when such a branch overtakes the chain, the chain begins anew
// with the lowest block that is known of it.

// reroot makes the branch of n, a block that waits for an ancestor, candidates for the tip if it can't stand on the chain's
// first block and n is better than the tip, or the chain has been orphaned as a whole. cause is the event that led to this.
func (b *batch) reroot(ctx context.Context, n *node, cause int64) error {
	root, tip := b.state.root, b.state.tip
	if root == nil || root.height == 0 || b.state.aboveGap[n.parent] {
		return nil
	}
	orphaned := false
	if !b.chain.better(n, tip) {
		if b.chain.rule == Reference {
			return nil
		}
		var err error
		if orphaned, err = b.orphaned(ctx, root); err != nil || !orphaned {
			return err
		}
	}
	bottom, err := b.lowestWaiting(ctx, n)
	if err != nil {
		return err
	}
	// The parent of the lowest block is not the chain's first block, as that is known. It is no descendant of it either when
	// it is not higher: heights grow by one.
	if bottom.height > root.height+1 {
		b.state.aboveGap[n.id] = true // so that the blocks above n need not look
		return nil
	}
	if good, err := b.branchIsGood(ctx, n, bottom); err != nil || !good {
		return err
	}
	b.chain.logger.LogAttrs(ctx, slog.LevelWarn, "the log began on a branch that lost; the chain begins anew with the other one",
		slog.Int64("height", bottom.height), slog.String("index_block_hash", bottom.id.String()),
		slog.Int64("lost_height", root.height), slog.String("lost_index_block_hash", root.id.String()), slog.Int64("seq", cause))
	return b.beginWith(ctx, bottom, &task{cause: cause, orphaned: orphaned})
}

// beginWith attaches the blocks that wait for the unknown parent of bottom, as a task.
func (b *batch) beginWith(ctx context.Context, bottom *node, t *task) error {
	waiting, err := b.waiting(ctx, bottom.parent)
	if err != nil {
		return err
	}
	if b.state.gaps[bottom.parent] {
		delete(b.state.gaps, bottom.parent)
		b.rows.gapsClosed = append(b.rows.gapsClosed, bottom.parent)
	}
	for _, block := range waiting {
		t.arrivals = append(t.arrivals, arrival{block: block.id})
	}
	return b.begin(ctx, t)
}

// lowestWaiting returns the lowest block on the way down from n, all of which wait for an ancestor.
func (b *batch) lowestWaiting(ctx context.Context, n *node) (*node, error) {
	for {
		below, err := b.anyParent(ctx, n)
		if err != nil || below == nil || below.attached || below.height >= n.height {
			return n, err
		}
		n = below
	}
}

// branchIsGood reports whether the blocks from n down to bottom are on the followed Bitcoin fork.
func (b *batch) branchIsGood(ctx context.Context, n, bottom *node) (bool, error) {
	for b.chain.rule != Reference {
		if orphaned, err := b.orphaned(ctx, n); err != nil || orphaned {
			return false, err
		}
		if n == bottom {
			break
		}
		below, err := b.anyParent(ctx, n)
		if err != nil {
			return false, err
		}
		n = below
	}
	return true, nil
}
