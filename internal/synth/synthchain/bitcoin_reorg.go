package synthchain

// reorganizeBitcoin lets Bitcoin go on from a block below its tip, or from the tip of a branch that was abandoned. It
// reports false when that is not possible: what is final has to stay.
func (c *Chain) reorganizeBitcoin() bool {
	from := c.abandonedBurn()
	back := from != nil
	if !back {
		from = c.burnTip
		for range 1 + c.random.IntN(c.cfg.MaxBitcoinReorgDepth) {
			if from.parent == nil {
				return false
			}
			from = from.parent
		}
	}
	if best := c.bestWhere(func(b *burnBlock) bool { return from.descendsFrom(b) }); best.height <= c.finalHeight || best.height < 1 {
		return false
	}
	c.forks = nil
	length := 1
	if !back && c.random.IntN(2) == 0 {
		// All of the new branch at once, longer than the old one.
		length = int(c.burnTip.height-from.height) + 1
	}
	for range length {
		from = c.mineBitcoin(from, !c.chance(c.cfg.EmptyBurnShare))
	}
	return true
}

// abandonedBurn is sometimes the tip of an orphaned branch. Only nodes that tell the parents of burn blocks let observers
// recognise what grows on it.
func (c *Chain) abandonedBurn() *burnBlock {
	if c.cfg.Generation < V3109 || !c.chance(c.cfg.ReturnProbability) {
		return nil
	}
	var found *burnBlock
	parents := make(map[*burnBlock]bool)
	for _, b := range c.burns {
		parents[b.parent] = true
	}
	for _, b := range c.burns {
		if b.orphaned && !parents[b] && (found == nil || b.height >= found.height) {
			found = b
		}
	}
	return found
}
