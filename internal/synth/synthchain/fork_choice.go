package synthchain

// best is the canonical tip among the blocks that have been handed out: complete ancestry, no orphaned burn block in
// it, the greatest height; of several the one elected last, then the one that came first.
func (c *Chain) best() *block {
	return c.bestWhere(func(b *burnBlock) bool { return !b.orphaned })
}

// bestWhere is best for another opinion about which burn blocks are canonical.
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

// seeBlock notes that a block was handed out.
func (c *Chain) seeBlock(b *block) {
	b.seen = true
	c.arrivals++
	b.order = c.arrivals
}

// seeBurnBlock notes that a burn block was handed out: Bitcoin is now what leads to it.
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
