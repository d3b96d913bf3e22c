package synthordinals

import (
	"slices"

	"strata/internal/synth/undo"
)

// step queues the next delivery, usually of some blocks.
func (f *Feed) step() {
	f.finalize()
	switch {
	case f.random.Chance(f.cfg.RollbackProbability) && len(f.branch) > 0:
		f.reorganize()
	case f.random.Chance(f.cfg.UnknownRollbackProbability):
		f.rollBackUnknown()
	default:
		f.extend()
	}
}

// extend builds some blocks and queues their delivery: now, a little late, or much later.
func (f *Feed) extend() {
	var blocks []*block
	for n := f.random.In(f.cfg.BlocksPerPayload); n > 0; n-- {
		blocks = append(blocks, f.grow())
	}
	d := f.send(nil, blocks)
	outOfOrder, gap := f.random.Chance(f.cfg.OutOfOrderProbability), f.random.Chance(f.cfg.GapProbability)
	if !outOfOrder && !gap {
		return
	}
	f.queue = f.queue[:len(f.queue)-1]
	f.later = append(f.later, d)
	d.late, d.after = true, f.posts+1
	if gap {
		d.after, d.streaming = f.posts+3+uint64(f.random.IntN(12)), false
	}
}

// reorganize abandons some blocks for rivals, and sometimes returns to them.
func (f *Feed) reorganize() {
	abandoned := f.retreat(1 + f.random.IntN(min(f.cfg.MaxRollbackDepth, len(f.branch))))
	rivals := f.outgrow(abandoned)
	f.send(abandoned, rivals)
	if f.random.Chance(f.cfg.ReturnProbability) {
		f.returnTo(abandoned, f.retreat(len(rivals)))
	}
	f.mempool = nil
}

// returnTo puts abandoned blocks back in the place of their rivals. Both lists are newest first.
func (f *Feed) returnTo(abandoned, rivals []*block) {
	back := slices.Clone(abandoned)
	slices.Reverse(back)
	for _, b := range back {
		f.advance(b)
	}
	f.floor = abandoned[0].height + 2 // at least as high as rivals that were not sent because they are empty
	if len(rivals) > 0 {
		f.floor = max(f.floor, rivals[0].height+1)
	}
	// Transactions that only the rivals had are pending again.
	known := minedPlans(abandoned)
	f.mempool = slices.DeleteFunc(minedPlans(rivals), func(p *plan) bool { return slices.Contains(known, p) })
	f.send(rivals, append(back, f.grow()))
}

// outgrow builds rivals that lead to a greater height than the abandoned blocks. Those of them that are empty are not
// sent, and not returned; that may be all.
func (f *Feed) outgrow(abandoned []*block) []*block {
	f.mempool = minedPlans(abandoned)
	longer := abandoned[0].height + 1
	var rivals []*block
	for f.random.IntN(6) > 0 {
		b := f.grow()
		rivals = append(rivals, b)
		if b.height >= longer {
			return rivals
		}
	}
	f.floor = longer + 1 // the other rivals are empty
	return rivals
}

// rollBackUnknown sends the rollback of a block that the receiver does not know: it was mined and abandoned before it
// could be sent.
func (f *Feed) rollBackUnknown() {
	f.grow()
	lost := f.retreat(1)
	f.mempool = minedPlans(lost)
	var apply []*block
	if f.random.IntN(3) > 0 {
		apply = append(apply, f.grow())
	}
	f.send(lost, apply)
	f.mempool = nil
}

// retreat removes the last blocks from the branch and returns them, newest first.
func (f *Feed) retreat(depth int) []*block {
	var abandoned []*block
	for range depth {
		b := f.tip()
		f.branch = f.branch[:len(f.branch)-1]
		undo.All(b.changes)
		b.changes, b.onBranch = nil, false
		abandoned = append(abandoned, b)
	}
	f.floor = 0
	return abandoned
}

// advance puts a block back onto the branch that it was built on.
func (f *Feed) advance(b *block) {
	list := b.mined
	newExecution(f.world, f.cfg, b).replay(list)
	f.push(b)
}

// push makes an executed block the tip.
func (f *Feed) push(b *block) {
	b.changes, b.onBranch = f.world.changes.Take(), true
	f.branch = append(f.branch, b)
}

// finalize drops the undo logs of blocks that no reorganisation can reach any more and, with Config.ForgetHistory, old
// blocks.
func (f *Feed) finalize() {
	excess := max(len(f.branch)-f.cfg.MaxRollbackDepth, 0)
	for _, b := range f.branch[:excess] {
		b.changes, b.mined, f.root = nil, nil, b
	}
	f.branch = slices.Delete(f.branch, 0, excess)
	keep := 128 + f.cfg.MaxRollbackDepth
	if n := len(f.canonical) - keep; f.cfg.ForgetHistory && n > keep {
		f.canonical = slices.Delete(f.canonical, 0, n)
	}
}

// minedPlans returns the plans of blocks, oldest first. The blocks are newest first.
func minedPlans(blocks []*block) []*plan {
	var plans []*plan
	for i := len(blocks) - 1; i >= 0; i-- {
		for _, m := range blocks[i].mined {
			plans = append(plans, m.plan)
		}
	}
	return plans
}
