package synthordinals

import (
	"slices"

	"strata/internal/synth/undo"
)

// step makes what is delivered next: usually some blocks.
func (f *Feed) step() {
	f.finalize()
	switch {
	case f.random.Chance(f.cfg.RollbackProbability) && len(f.branch) > 0:
		f.reorganize()
	case f.random.Chance(f.cfg.UnknownRollbackProbability):
		f.takeBackUnknown()
	default:
		f.extend()
	}
}

// extend makes some blocks and delivers them in time, a little late, or much later.
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

// reorganize abandons some blocks for others, and sometimes comes back to them.
func (f *Feed) reorganize() {
	abandoned := f.retreat(1 + f.random.IntN(min(f.cfg.MaxRollbackDepth, len(f.branch))))
	rivals := f.outgrow(abandoned)
	f.send(abandoned, rivals)
	if f.random.Chance(f.cfg.ReturnProbability) {
		f.comeBack(abandoned, f.retreat(len(rivals)))
	}
	f.mempool = nil
}

// comeBack leaves the rivals for what was abandoned for them; both come newest first.
func (f *Feed) comeBack(abandoned, rivals []*block) {
	back := slices.Clone(abandoned)
	slices.Reverse(back)
	for _, b := range back {
		f.advance(b)
	}
	f.floor = abandoned[0].height + 2 // at least as high as rivals of whom nothing was told
	if len(rivals) > 0 {
		f.floor = max(f.floor, rivals[0].height+1)
	}
	// What the rivals had besides waits again.
	known := plansOf(abandoned)
	f.mempool = slices.DeleteFunc(plansOf(rivals), func(p *plan) bool { return slices.Contains(known, p) })
	f.send(rivals, append(back, f.grow()))
}

// outgrow makes blocks that lead higher than those abandoned do. There may be nothing to tell of any.
func (f *Feed) outgrow(abandoned []*block) []*block {
	f.mempool = plansOf(abandoned)
	longer := abandoned[0].height + 1
	var rivals []*block
	for f.random.IntN(6) > 0 {
		b := f.grow()
		rivals = append(rivals, b)
		if b.height >= longer {
			return rivals
		}
	}
	f.floor = longer + 1 // the rest are empty
	return rivals
}

// takeBackUnknown takes back a block that the receiver has never heard of: it was found, and lost again, while nothing
// was sent.
func (f *Feed) takeBackUnknown() {
	f.grow()
	lost := f.retreat(1)
	f.mempool = plansOf(lost)
	var apply []*block
	if f.random.IntN(3) > 0 {
		apply = append(apply, f.grow())
	}
	f.send(lost, apply)
	f.mempool = nil
}

// retreat takes the last blocks off the branch, newest first.
func (f *Feed) retreat(depth int) []*block {
	var abandoned []*block
	for range depth {
		b := f.tip()
		f.branch = f.branch[:len(f.branch)-1]
		undo.All(b.changes)
		b.changes, b.on = nil, false
		abandoned = append(abandoned, b)
	}
	f.floor = 0
	return abandoned
}

// advance puts a block back onto the branch that it was made for.
func (f *Feed) advance(b *block) {
	list := b.mined
	newExecution(f.world, f.cfg, b).again(list)
	f.push(b)
}

// push makes a block that was executed the tip.
func (f *Feed) push(b *block) {
	b.changes, b.on = f.world.journal.Take(), true
	f.branch = append(f.branch, b)
}

// finalize lets go of what no reorganisation can reach any more.
func (f *Feed) finalize() {
	excess := max(len(f.branch)-f.cfg.MaxRollbackDepth, 0)
	for _, b := range f.branch[:excess] {
		b.changes, b.mined, f.root = nil, nil, b
	}
	f.branch = slices.Delete(f.branch, 0, excess)
	kept := 128 + f.cfg.MaxRollbackDepth
	if n := len(f.canonical) - kept; f.cfg.ForgetHistory && n > kept {
		f.canonical = slices.Delete(f.canonical, 0, n)
	}
}

// plansOf are the transactions of blocks that come newest first, oldest first.
func plansOf(blocks []*block) []*plan {
	var plans []*plan
	for i := len(blocks) - 1; i >= 0; i-- {
		for _, m := range blocks[i].mined {
			plans = append(plans, m.plan)
		}
	}
	return plans
}
