package brc20

import (
	"cmp"
	"slices"

	"strata/projections"
)

// wave is the outcome of several steps: the heights whose rows are deleted, and the blocks whose rows are inserted. A
// block that the steps apply and revert again is in neither list.
type wave struct {
	gone   []int64
	blocks []projections.FeedStep // by height
}

// goneMax bounds the heights whose rows one wave deletes, and so the memory for these rows: the size of a revert step
// does not count toward the limit of a batch. That of an apply step does, by the size of its block.
const goneMax = 64

// nextWave combines as many steps as fit into a wave, and returns the remaining ones.
func nextWave(steps []projections.FeedStep) (w wave, rest []projections.FeedStep) {
	last := map[int64]int{} // the last step of each height
	n := 0
	for ; n < len(steps) && len(w.gone) < goneMax; n++ {
		s := &steps[n]
		if _, again := last[s.Height]; !again && s.Kind == projections.Revert {
			w.gone = append(w.gone, s.Height) // the first step of the height reverts it, so it has rows
		}
		last[s.Height] = n
	}
	for _, i := range last {
		if steps[i].Kind == projections.Apply {
			w.blocks = append(w.blocks, steps[i])
		}
	}
	slices.SortFunc(w.blocks, func(a, b projections.FeedStep) int { return cmp.Compare(a.Height, b.Height) })
	return w, steps[n:]
}
