package brc20

import (
	"cmp"
	"slices"

	"strata/projections"
)

// wave is what steps come to: heights whose rows go, and blocks whose rows come. A block that is applied and taken back
// again is neither.
type wave struct {
	gone   []int64
	blocks []projections.FeedStep // by height
}

// goneMax bounds the heights that one wave takes rows of, and with them the memory that these take: a step that takes a
// block back has no size. What is applied is bounded by the bodies of the steps.
const goneMax = 64

// nextWave takes as many steps as fit.
func nextWave(steps []projections.FeedStep) (w wave, rest []projections.FeedStep) {
	last := map[int64]int{} // the last step of each height
	n := 0
	for ; n < len(steps) && len(w.gone) < goneMax; n++ {
		s := &steps[n]
		if _, again := last[s.Height]; !again && s.Kind == projections.Revert {
			w.gone = append(w.gone, s.Height) // it has rows, because it was applied before
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
