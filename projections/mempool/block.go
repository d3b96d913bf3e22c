package mempool

import (
	"context"
	"slices"

	"strata/projections"
)

// Maximum age of a pending transaction, and the depth to which mined transactions are remembered.
const (
	ageMax          = 2560 * 60 // seconds by the time of a Nakamoto block
	blocksMax       = 256       // blocks, before Nakamoto
	rememberedBurns = 256       // Bitcoin blocks
)

// apply folds a block that becomes the tip.
func (b *batch) apply(step *projections.Step) {
	block := step.Block
	tip := step.Tip()
	b.tip = &tip
	b.blocks = append(b.blocks, appliedBlock{*b.tip, step.BlockSeq})
	for i, tx := range block.Decoded {
		if tx == nil || tx.IsBoot() { // uses no nonce
			continue
		}
		u := use{block.Transactions[i].TxID, step.Height, b.tip.BurnBlockHeight, step.BlockSeq}
		for j, c := range claimsOf(tx) {
			key := c.key()
			b.mined[key] = append(b.mined[key], u)
			b.used = append(b.used, usedClaim{key, int32(i), j > 0, u})
			for _, r := range b.claimants[c] {
				switch {
				case r.txid == u.txid:
					if r.mined == nil {
						r.mined = &u
						b.change(r)
					}
				case r.taken == nil || compareUses(u, *r.taken) < 0:
					r.taken = &u
					b.change(r)
				}
			}
		}
	}
	if horizon := b.tip.BurnBlockHeight - rememberedBurns; horizon > b.horizon {
		b.horizon, b.horizonSeq = horizon, step.SourceSeq
	}
	b.expire(step)
}

// expire drops the transactions that are too old as of a block.
func (b *batch) expire(step *projections.Step) {
	drop := func(r *row) {
		height := step.Height
		r.expired = &height
		b.change(r)
	}
	if blockTime := step.Block.Time; step.Block.IsNakamoto() && blockTime != nil {
		b.waiting.before(int64(*blockTime)-ageMax, drop)
		return
	}
	b.waiting.below(step.Height-blocksMax, drop)
}

// revert undoes the block at the tip.
func (b *batch) revert(ctx context.Context, step *projections.Step) error {
	height := step.Height
	if b.reverted == nil || height < *b.reverted {
		b.reverted = &height
	}
	b.blocks = slices.DeleteFunc(b.blocks, func(block appliedBlock) bool { return block.Height == height })
	b.used = slices.DeleteFunc(b.used, func(u usedClaim) bool { return u.height == height })
	for key, uses := range b.mined {
		b.mined[key] = slices.DeleteFunc(uses, func(u use) bool { return u.height == height })
	}
	for _, r := range b.rows {
		if b.forgotten(r) {
			continue
		}
		// No block below mined it or used its nonces: a row names the lowest block that did.
		changed := false
		if r.mined != nil && r.mined.height == height {
			r.mined, changed = nil, true
		}
		if r.taken != nil && r.taken.height == height {
			r.taken, changed = nil, true
		}
		if r.expired != nil && *r.expired == height {
			r.expired, changed = nil, true
		}
		if changed {
			b.change(r)
		}
	}
	return b.readTip(ctx)
}
