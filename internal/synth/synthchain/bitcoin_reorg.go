package synthchain

// reorganizeBitcoin mines Bitcoin blocks on a block below Bitcoin's tip, or on the tip of an abandoned branch. It
// returns false if that would remove final blocks.
func (c *Chain) reorganizeBitcoin() bool {
	from := c.abandonedBurn()
	returning := from != nil
	if !returning {
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
	if !returning && c.random.IntN(2) == 0 {
		// Announce the whole new branch at once, longer than the old one.
		length = int(c.burnTip.height-from.height) + 1
	}
	for range length {
		from = c.mineBitcoin(from, !c.random.Chance(c.cfg.EmptyBurnShare))
	}
	return true
}

// abandonedBurn sometimes returns the tip of an orphaned branch, otherwise nil. Observers can only recognise what grows
// on such a tip if the node posts the parents of burn blocks.
func (c *Chain) abandonedBurn() *burnBlock {
	if c.cfg.Generation < V3109 || !c.random.Chance(c.cfg.ReturnProbability) {
		return nil
	}
	var tip *burnBlock
	parents := make(map[*burnBlock]bool)
	for _, b := range c.burns {
		parents[b.parent] = true
	}
	for _, b := range c.burns {
		if b.orphaned && !parents[b] && (tip == nil || b.height >= tip.height) {
			tip = b
		}
	}
	return tip
}
