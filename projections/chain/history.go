package chain

import (
	"context"
	"fmt"
)

// mayBeginAnywhere reports whether the chain may begin with the block of an event, whatever it stands on.
func (b *batch) mayBeginAnywhere(seq int64) bool {
	return b.state.partial != nil && seq > *b.state.partial
}

// beginAnywhere lets a chain without a root begin with the lowest block below the best of those that wait: the log was first
// folded as one that begins with genesis. cause is the event after which it may begin anywhere.
func (b *batch) beginAnywhere(ctx context.Context, cause int64) error {
	if err := b.flush(ctx); err != nil {
		return err
	}
	best, err := b.queryNodes(ctx, `NOT b.attached ORDER BY b.height DESC, b.burn_block_height DESC, b.first_seq LIMIT 1`)
	if err != nil || len(best) == 0 {
		return err
	}
	bottom, err := b.lowestWaiting(ctx, best[0])
	if err != nil {
		return err
	}
	return b.beginWith(ctx, bottom, &task{cause: cause})
}

// historyFrom returns the height of the chain's root if that is above genesis, or an empty genesis.
func (b *batch) historyFrom(ctx context.Context) (*int64, error) {
	s := b.state
	if s.root == s.partialRoot {
		return s.historyFrom, nil
	}
	root := s.root
	s.partialRoot, s.historyFrom = root, nil
	if root == nil || root.height == 0 && !root.content.empty() {
		return nil, nil
	}
	if root.height == 1 {
		// Nodes before release 2.1 had no block 0, and appended its transactions to block 1, after the coinbase.
		var merged bool
		err := b.tx.QueryRow(ctx, b.sql(`
			SELECT coalesce(bool_or(tx_index > 0) AND min(tx_index) > 0, false) FROM {schema}.transaction
			WHERE source_seq = $1 AND sender IN ('SP000000000000000000002Q6VF78', 'ST000000000000000000002AMW42H')`), root.seq).Scan(&merged)
		if err != nil {
			return nil, fmt.Errorf("read the first block of the chain: %w", err)
		}
		if merged {
			return nil, nil
		}
	}
	s.historyFrom = &root.height
	return s.historyFrom, nil
}
