package synthchain

// planned is a part of a fork that is still to come: so many blocks on top of a block.
type planned struct {
	on    *block
	left  int
	first bool // the first one has to be a rival of a block that is there
}

// choose finds the parent of the next block: the canonical tip, unless a fork is under way or begins. Fresh demands a new
// tenure.
func (c *Chain) choose() (parent *block, fresh bool) {
	best := c.best()
	for len(c.forks) > 0 {
		p := c.forks[0]
		if p.left > 0 && p.on.valid && !p.on.burn.orphaned {
			// A rival within the same tenure is a miner who signed twice.
			return p.on, p.first && c.random.IntN(4) > 0
		}
		c.forks = c.forks[1:]
	}
	if !c.chance(c.cfg.ForkProbability) {
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
	// The fork stays shorter, becomes equal, or wins.
	length := max(1, depth-1+c.random.IntN(3))
	c.forks = append(c.forks, planned{on: base, left: length, first: true})
	if length >= depth && c.chance(c.cfg.ReturnProbability) {
		c.forks = append(c.forks, planned{on: best, left: 1 + length - depth})
	}
	return base, c.random.IntN(4) > 0
}

// advance notes that a planned block was made.
func (c *Chain) advance(parent, b *block) {
	if len(c.forks) > 0 && c.forks[0].on == parent {
		p := &c.forks[0]
		p.on, p.first = b, false
		if p.left--; p.left == 0 {
			c.forks = c.forks[1:]
		}
	}
}
