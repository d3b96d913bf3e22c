package synthordinals

import (
	"strata/domain/ordinals"
	"strata/internal/synth/draw"
)

// lot is how many sats are set aside for one fresh input: the most that it can have.
const lot = 20_000

// fresh hands out stretches of sats that nothing was inscribed on. They were mined before the feed begins, and no two of
// them overlap: ordinary ones are from a lot of their own, and those that collectors look for from lots left out there.
// It does not come back to what a branch that lost has used.
type fresh struct {
	lots      walk // all lots
	heights   walk // blocks, for their first sats
	coins     walk // whole bitcoins, for theirs
	nineballs walk // lots of block 9
	start     uint64
	period    uint64
	epoch     uint64
}

// walk goes over the numbers below a length, each once, in an order that looks like none.
type walk struct{ length, at, step, taken uint64 }

func newWalk(length uint64, random draw.Source) walk {
	w := walk{length: length, step: 1}
	if length > 2 {
		w.at = random.Uint64N(length)
		w.step = 1 + random.Uint64N(length-1)
		for gcd(w.step, length) != 1 {
			w.step = 1 + random.Uint64N(length-1)
		}
	}
	return w
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (w *walk) next() (n uint64, ok bool) {
	if w.taken == w.length {
		return 0, false
	}
	w.taken++
	w.at = (w.at + w.step) % w.length
	return w.at, true
}

const (
	coin           = 100_000_000
	nineballHeight = 9
)

func newFresh(start uint64, random draw.Source) *fresh {
	mined := uint64(ordinals.FirstSat(start))
	return &fresh{
		start:     start,
		lots:      newWalk(mined/lot, random),
		heights:   newWalk(start, random),
		coins:     newWalk(mined/coin, random),
		nineballs: newWalk(ordinals.Subsidy(nineballHeight)/lot, random),
	}
}

// ordinary is a stretch of so many sats, at most a lot; false when there is none left.
func (f *fresh) ordinary(count uint64, random draw.Source) (stretch, bool) {
	for {
		n, ok := f.lots.next()
		if !ok {
			return stretch{}, false
		}
		if first := ordinals.Sat(n * lot); !special(first) {
			return stretch{first: first + ordinals.Sat(random.Uint64N(lot-count+1)), count: count}, true
		}
	}
}

// special reports whether a lot may have sats in it that rare hands out. A stretch that begins with a block may go on
// into the next lot.
func special(first ordinals.Sat) bool {
	return first%coin == 0 || nearBlock(first) || first.CoinbaseHeight() == nineballHeight
}

// nearBlock reports whether a block begins in a lot, or shortly before it.
func nearBlock(first ordinals.Sat) bool {
	return first.Offset() < lot || (first+lot-1).CoinbaseHeight() != first.CoinbaseHeight()
}

// rare is a stretch that begins with a sat that collectors look for.
func (f *fresh) rare(count uint64, random draw.Source) (stretch, bool) {
	switch random.IntN(5) {
	case 0:
		if n, ok := f.nineballs.next(); ok && n > 0 {
			return stretch{first: ordinals.FirstSat(nineballHeight) + ordinals.Sat(n*lot), count: count}, true
		}
	case 1:
		if n, ok := f.coins.next(); ok {
			if first := ordinals.Sat(n * coin); !nearBlock(first) && first.CoinbaseHeight() != nineballHeight {
				return stretch{first: first, count: count}, true
			}
		}
	case 2:
		if next := f.epoch + ordinals.HalvingBlocks; next < f.start {
			f.epoch = next
			return stretch{first: ordinals.FirstSat(next), count: count}, true
		}
	case 3:
		for next := f.period + ordinals.DifficultyBlocks; next < f.start; next += ordinals.DifficultyBlocks {
			if f.period = next; next%ordinals.HalvingBlocks != 0 {
				return stretch{first: ordinals.FirstSat(next), count: count}, true
			}
		}
	}
	for {
		height, ok := f.heights.next()
		if !ok {
			return f.ordinary(count, random)
		}
		if height > nineballHeight && height%ordinals.DifficultyBlocks != 0 && height%ordinals.HalvingBlocks != 0 {
			return stretch{first: ordinals.FirstSat(height), count: count}, true
		}
	}
}
