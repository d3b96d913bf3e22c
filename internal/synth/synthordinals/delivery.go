package synthordinals

import (
	"slices"
	"sort"
)

// delivery is a queued payload.
type delivery struct {
	rollback  []*block // newest first
	apply     []*block // oldest first
	streaming bool
	uuid      string
	reword    *Shape // replaces the wording of the blocks' shapes; nil to keep it

	after  uint64 // number of posts that come before; only in Feed.later
	late   bool   // some or all of its blocks may have left the branch when it is handed out
	repeat bool   // it is handed out only if it changes nothing
}

// send queues a payload. rollback is newest first, apply oldest first.
func (f *Feed) send(rollback, apply []*block) *delivery {
	d := &delivery{rollback: rollback, apply: apply, streaming: f.grown > f.cfg.ReplayBlocks, uuid: f.uuid}
	if len(rollback) > 0 && f.random.IntN(3) == 0 {
		d.reword = f.shape()
	}
	f.queue = append(f.queue, d)
	return d
}

// shape returns a random shape of the configuration.
func (f *Feed) shape() *Shape { return &f.cfg.Shapes[f.random.IntN(len(f.cfg.Shapes))] }

// due returns the next delivery, or nil if there is none. Late deliveries wait until the queue is empty, when the
// receiver has the whole branch.
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

// hand records the effects of a delivery that is handed out. It returns false if the delivery must be skipped.
func (f *Feed) hand(d *delivery) bool {
	if d.late {
		d.apply = slices.DeleteFunc(d.apply, func(b *block) bool { return !b.onBranch })
		if len(d.apply) == 0 {
			return false
		}
	}
	if d.repeat && (slices.ContainsFunc(d.rollback, func(b *block) bool { return b.applied }) ||
		slices.ContainsFunc(d.apply, func(b *block) bool { return !b.applied })) {
		return false // it would change something
	}
	for _, b := range d.rollback {
		f.rollBack(b)
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

// repeat queues a delivery again, as an indexer does if it got no answer, or if an earlier registration still exists.
// The latter has another id and wording.
func (f *Feed) repeat(d *delivery) {
	again := *d
	again.apply = slices.Clone(d.apply)
	again.repeat, again.late, again.after = true, false, f.posts+uint64(f.random.IntN(8))
	if f.random.IntN(2) == 0 {
		again.uuid, again.reword = f.newUUID(), f.shape()
	}
	f.later = append(f.later, &again)
}

// apply adds a block to the canonical ones.
func (f *Feed) apply(b *block) {
	if b.applied {
		return
	}
	b.applied = true
	i := sort.Search(len(f.canonical), func(i int) bool { return f.canonical[i].height > b.height })
	f.canonical = slices.Insert(f.canonical, i, b)
}

// rollBack removes a block from the canonical ones.
func (f *Feed) rollBack(b *block) {
	if !b.applied {
		return
	}
	b.applied = false
	i := slices.Index(f.canonical, b)
	f.canonical = slices.Delete(f.canonical, i, i+1)
}
