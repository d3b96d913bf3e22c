package mempool

import (
	"context"
	"slices"

	"strata/projections"
)

// How long a transaction waits, and for how long what was mined is remembered.
const (
	ageMax          = 2560 * 60 // seconds by the time of a Nakamoto block
	blocksMax       = 256       // blocks, before Nakamoto
	rememberedBurns = 256       // Bitcoin blocks
)

// apply takes a block that is put on top.
func (b *batch) apply(step *projections.Step) {
	block := step.Block
	b.tip = &projections.Tip{
		Height: step.Height, IndexBlockHash: step.IndexBlockHash, BlockHash: block.BlockHash, BurnBlockHeight: int64(block.BurnBlockHeight),
	}
	b.blocks = append(b.blocks, applied{*b.tip, step.BlockSeq})
	for i, tx := range block.Decoded {
		if tx == nil || tx.IsBoot() { // nobody used a nonce
			continue
		}
		u := use{block.Transactions[i].TxID, step.Height, b.tip.BurnBlockHeight, step.BlockSeq}
		for _, c := range claimsOf(tx) {
			b.mined[c] = append(b.mined[c], u)
			b.used = append(b.used, usedClaim{c, u})
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

// expire drops what is too old when a block is put on top.
func (b *batch) expire(step *projections.Step) {
	drop := func(r *row) {
		height := step.Height
		r.expired = &height
		b.change(r)
	}
	if at := step.Block.Time; step.Block.IsNakamoto() && at != nil {
		b.waiting.before(int64(*at)-ageMax, drop)
		return
	}
	b.waiting.below(step.Height-blocksMax, drop)
}

// revert takes the newest block off again.
func (b *batch) revert(ctx context.Context, step *projections.Step) error {
	height := step.Height
	if b.reverted == nil || height < *b.reverted {
		b.reverted = &height
	}
	b.blocks = slices.DeleteFunc(b.blocks, func(block applied) bool { return block.Height == height })
	b.used = slices.DeleteFunc(b.used, func(u usedClaim) bool { return u.height == height })
	for c, uses := range b.mined {
		b.mined[c] = slices.DeleteFunc(uses, func(u use) bool { return u.height == height })
	}
	for _, r := range b.rows {
		if b.forgotten(r) {
			continue
		}
		// Nothing below has it or wants its nonce: of several blocks that did, the lowest counts.
		here := false
		if r.mined != nil && r.mined.height == height {
			r.mined, here = nil, true
		}
		if r.taken != nil && r.taken.height == height {
			r.taken, here = nil, true
		}
		if r.expired != nil && *r.expired == height {
			r.expired, here = nil, true
		}
		if here {
			b.change(r)
		}
	}
	return b.readTip(ctx)
}
