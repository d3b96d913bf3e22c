package synthchain

// forkPlan is the rest of a fork: left blocks on top of the block on.
type forkPlan struct {
	on    *block
	left  int
	first bool // the next block is the first one of the fork, a rival of an existing block
}

// chooseParent returns the parent of the next block: the canonical tip, unless a fork is in progress or starts. If
// fresh is set, the block must start a new tenure.
func (c *Chain) chooseParent() (parent *block, fresh bool) {
	best := c.best()
	for len(c.forks) > 0 {
		p := c.forks[0]
		if p.left > 0 && p.on.valid && !p.on.burn.orphaned {
			// A rival within the same tenure means that the miner signed twice.
			return p.on, p.first && c.random.IntN(4) > 0
		}
		c.forks = c.forks[1:]
	}
	if !c.random.Chance(c.cfg.ForkProbability) {
		return best, false
	}
	depth := 1 + c.random.IntN(c.cfg.MaxForkDepth)
	base := best
	for range depth {
		if base == c.root || base.height <= 1 {
			return best, false
		}
		base = base.parent
	}
	// The fork stays shorter, becomes as long as the canonical chain, or wins.
	length := max(1, depth-1+c.random.IntN(3))
	c.forks = append(c.forks, forkPlan{on: base, left: length, first: true})
	if length >= depth && c.random.Chance(c.cfg.ReturnProbability) {
		c.forks = append(c.forks, forkPlan{on: best, left: 1 + length - depth})
	}
	return base, c.random.IntN(4) > 0
}

// advance updates the fork plan in progress after b was built on parent.
func (c *Chain) advance(parent, b *block) {
	if len(c.forks) > 0 && c.forks[0].on == parent {
		p := &c.forks[0]
		p.on, p.first = b, false
		if p.left--; p.left == 0 {
			c.forks = c.forks[1:]
		}
	}
}
