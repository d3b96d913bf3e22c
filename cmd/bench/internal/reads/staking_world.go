package reads

import (
	"fmt"
	"iter"

	"strata/domain/clarity"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthstaking"
)

const (
	// bondMembers is the number of members of the bond: as many as one setup can allow.
	bondMembers = 1000
	// stakesOfBlock is the number of calls of a block.
	stakesOfBlock = 1000
	// lastCycle is the newest cycle.
	lastCycle = 13
)

// stakersWorld is a history of stakers under one signer manager. The first ones are members of a bond; the stakes of half of the
// others end before the newest cycle. Each cycle has two calculations of rewards.
type stakersWorld struct {
	stakers []string
	signer  string
	key     string
}

func newStakersWorld(stakers int) *stakersWorld {
	w := synthstaking.NewWorld(stakers, 1)
	return &stakersWorld{w.Stakers, w.Signers[0], fmt.Sprintf("0x%x", synthstaking.Key(1))}
}

// posts returns the history as a node posts it.
func (w *stakersWorld) posts() iter.Seq[simulate.Post] {
	return func(yield func(simulate.Post) bool) {
		c, height, more := synthstaking.New(), int64(-1), true
		post := func(burn int64, members map[string]any, prints ...[]clarity.Value) {
			height++
			b := synthstaking.Block{Name: blockName(int(height)), Height: height, BurnHeight: burn, Contract: synthstaking.Testnet, Prints: prints, Members: members}
			if height > 0 {
				b.Parent = blockName(int(height - 1))
			}
			more = more && yield(b.Post())
		}
		c.Height = 3
		allowed := map[string]int64{}
		for _, s := range w.stakers[:bondMembers] {
			allowed[s] = 50_000_000
		}
		post(3, nil, c.RegisterSigner(w.signer, 1), c.GrantKey(w.signer, 1), c.SetupBond(0, 500, allowed))
		var calls [][]clarity.Value
		for i, s := range w.stakers {
			if i < bondMembers {
				calls = append(calls, c.RegisterForBond(s, w.signer, 0, 60_000_000, 20_000_000, i%2 == 0))
			} else {
				calls = append(calls, c.Stake(s, w.signer, 7_000_000, int64(12+7*(i%2))))
			}
			if len(calls) == stakesOfBlock || i == len(w.stakers)-1 {
				post(5, nil, calls...)
				calls = nil
			}
		}
		for cycle := int64(1); cycle <= lastCycle && more; cycle++ {
			start := c.Clock.Start(cycle)
			post(start-5, synthstaking.Set(cycle, map[byte]int64{1: 700_000_000_000}))
			for _, burn := range []int64{start + 5, start + 55} {
				c.Height = burn
				post(burn, nil, c.CalculateRewards(1_000_000))
			}
		}
	}
}
