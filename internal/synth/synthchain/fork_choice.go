package synthchain

// best returns the canonical tip among the blocks that were handed out: the highest one with complete ancestry and no
// orphaned burn block in it. Of several it is the one that was elected last, then the one that came first.
func (c *Chain) best() *block {
	return c.bestWhere(func(b *burnBlock) bool { return !b.orphaned })
}

// bestWhere is like best, but canonical decides which burn blocks are canonical.
func (c *Chain) bestWhere(canonical func(*burnBlock) bool) *block {
	best := c.root
	for _, b := range c.blocks { // parents come before their children
		b.valid = b == c.root || b.seen && b.parent.valid && canonical(b.burn)
		if b.valid && b.beats(best) {
			best = b
		}
	}
	return best
}

func (b *block) beats(other *block) bool {
	if b.height != other.height {
		return b.height > other.height
	}
	if b.burn.height != other.burn.height {
		return b.burn.height > other.burn.height
	}
	return b.order < other.order
}

// seeBurnBlock records that a burn block was handed out. Bitcoin's canonical chain is now the one that leads to it.
func (c *Chain) seeBurnBlock(b *burnBlock) {
	b.seen = true
	if b.parent != c.burnTip {
		for _, other := range c.burns {
			other.orphaned = true
		}
		for a := b; a != nil; a = a.parent {
			a.orphaned = false
		}
	}
	c.burnTip = b
}
