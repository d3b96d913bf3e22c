package synthordinals

import "math"

// grow adds a block to the branch. The block has at least one transaction, because empty blocks are not sent.
func (f *Feed) grow() *block {
	b := f.header()
	x := newExecution(f.world, f.cfg, b)
	index := uint32(0)
	mine := func(p *plan) {
		if p != nil {
			index += 1 + uint32(f.random.IntN(60))
			x.mine(p, index)
		}
	}
	f.remine(b, mine)
	for _, task := range f.tasks() {
		mine(task(b.height))
	}
	if len(b.transactions) == 0 {
		mine(f.planReveal(b.height))
	}
	if len(b.transactions) == 0 {
		mine(f.planTransfer(b.height))
	}
	x.finish()
	f.push(b)
	f.grown++
	return b
}

// header returns a block without transactions, one or more heights above the tip.
func (f *Feed) header() *block {
	b := &block{height: max(f.cfg.StartHeight, f.floor), hash: f.blockHash(), parentHash: f.blockHash(), coinbase: f.random.Hash32(), shape: *f.shape()}
	tip := f.tip()
	if tip != nil {
		b.height = max(b.height, tip.height+1)
	}
	const maxEmptyHeights = 50
	for range maxEmptyHeights {
		if !f.random.Chance(f.cfg.EmptyHeightShare) {
			break
		}
		b.height++
	}
	if tip != nil && b.height == tip.height+1 {
		b.parentHash = tip.hash
	}
	// Miners' clocks differ, so a block may be older than its parent.
	const bitcoinStart = 1_231_006_505
	seconds := bitcoinStart + b.height*uint64(f.cfg.BlockTime) + f.random.Uint64N(2*uint64(f.cfg.BlockTime))
	b.time = uint32(min(seconds, math.MaxUint32))
	return b
}

// remine mines transactions of an abandoned branch.
func (f *Feed) remine(b *block, mine func(*plan)) {
	var left []*plan
	for _, p := range f.mempool {
		if f.world.minable(p, b.height) && f.random.Chance(f.cfg.RemineShare) {
			mine(p)
		} else {
			left = append(left, p)
		}
	}
	f.mempool = left
}

// tasks returns functions that plan the transactions of a block, in random order.
func (f *Feed) tasks() []func(height uint64) *plan {
	var all []func(uint64) *plan
	reveals := f.random.In(f.cfg.Reveals)
	for range reveals {
		all = append(all, func(height uint64) *plan {
			if reveals <= 0 {
				return nil // other transactions had several reveals
			}
			p := f.planReveal(height)
			if p != nil {
				reveals -= f.addReveals(p, reveals-1) + 1
			}
			return p
		})
	}
	for range f.random.In(f.cfg.Transfers) {
		all = append(all, f.planTransfer)
	}
	for range f.random.In(f.cfg.Tokens) {
		all = append(all, f.planToken)
	}
	f.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
