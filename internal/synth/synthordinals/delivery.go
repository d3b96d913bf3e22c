package synthordinals

import (
	"slices"
	"sort"
)

// delivery is a payload in waiting.
type delivery struct {
	rollback  []*block // newest first
	apply     []*block // oldest first
	streaming bool
	uuid      string
	reword    *Shape // of the words alone; nil for those of each block

	after  uint64 // so many posts; for what comes later
	late   bool   // it may be outdated when it comes, in part or whole
	repeat bool   // it says nothing new, or is not sent
}

// send queues a payload, oldest blocks first.
func (f *Feed) send(rollback, apply []*block) *delivery {
	d := &delivery{rollback: rollback, apply: apply, streaming: f.made > f.cfg.ReplayBlocks, uuid: f.uuid}
	if len(rollback) > 0 && f.random.IntN(3) == 0 {
		d.reword = f.shape()
	}
	f.queue = append(f.queue, d)
	return d
}

// shape is that of an indexer.
func (f *Feed) shape() *Shape { return &f.cfg.Shapes[f.random.IntN(len(f.cfg.Shapes))] }

// due is the next delivery, nil if one has to be made. What comes later waits until all is told of the branch that the
// generator is on.
func (f *Feed) due() *delivery {
	if len(f.queue) > 0 {
		d := f.queue[0]
		f.queue[0] = nil
		f.queue = f.queue[1:]
		return d
	}
	i := slices.IndexFunc(f.later, func(d *delivery) bool { return d.after <= f.posts })
	if i < 0 {
		return nil
	}
	d := f.later[i]
	f.later = slices.Delete(f.later, i, i+1)
	return d
}

// hand notes what a delivery tells; false if there is nothing left to tell.
func (f *Feed) hand(d *delivery) bool {
	if d.late {
		d.apply = slices.DeleteFunc(d.apply, func(b *block) bool { return !b.on })
		if len(d.apply) == 0 {
			return false
		}
	}
	if d.repeat && !f.saysNothing(d) {
		return false
	}
	for _, b := range d.rollback {
		f.takeBack(b)
	}
	for _, b := range d.apply {
		f.apply(b)
	}
	f.posts++
	if !d.repeat && f.random.Chance(f.cfg.DuplicateProbability) {
		f.repeat(d)
	}
	return true
}

// saysNothing reports whether a delivery would change nothing.
func (f *Feed) saysNothing(d *delivery) bool {
	for _, b := range d.rollback {
		if b.applied {
			return false
		}
	}
	for _, b := range d.apply {
		if !b.applied {
			return false
		}
	}
	return true
}

// repeat sends a delivery again: for want of an answer, or on behalf of an earlier registration that nobody removed.
func (f *Feed) repeat(d *delivery) {
	again := *d
	again.apply = slices.Clone(d.apply)
	again.repeat, again.late, again.after = true, false, f.posts+uint64(f.random.IntN(8))
	if f.random.IntN(2) == 0 {
		again.uuid, again.reword = f.newUUID(), f.shape()
	}
	f.later = append(f.later, &again)
}

// apply notes that a block is canonical.
func (f *Feed) apply(b *block) {
	if b.applied {
		return
	}
	b.applied = true
	i := sort.Search(len(f.canonical), func(i int) bool { return f.canonical[i].height > b.height })
	f.canonical = slices.Insert(f.canonical, i, b)
}

// takeBack notes that a block is not canonical any more.
func (f *Feed) takeBack(b *block) {
	if !b.applied {
		return
	}
	b.applied = false
	i := slices.Index(f.canonical, b)
	f.canonical = slices.Delete(f.canonical, i, i+1)
}
