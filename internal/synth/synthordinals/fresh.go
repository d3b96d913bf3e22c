package synthordinals

import (
	"strata/domain/ordinals"
	"strata/internal/synth/draw"
)

// lot is the number of sats that are set aside for one fresh input, and so the maximum size of the input.
const lot = 20_000

// freshSats hands out stretches of sats without inscriptions. They were mined before the feed starts, and no two of
// them overlap: each ordinary stretch has its own lot, and those that collectors look for are from lots that ordinary
// ones skip. Stretches that an abandoned branch has used are not handed out again.
type freshSats struct {
	lots      walk // all lots
	heights   walk // blocks, for their first sats
	coins     walk // whole bitcoins, for their first sats
	nineballs walk // lots of block 9
	start     uint64
	period    uint64
	epoch     uint64
}

// walk visits each number below a length once, in an order that looks random.
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

func newFreshSats(start uint64, random draw.Source) *freshSats {
	mined := uint64(ordinals.FirstSat(start))
	return &freshSats{
		start:     start,
		lots:      newWalk(mined/lot, random),
		heights:   newWalk(start, random),
		coins:     newWalk(mined/coin, random),
		nineballs: newWalk(ordinals.Subsidy(nineballHeight)/lot, random),
	}
}

// ordinary returns a stretch of count sats, at most a lot; false if none is left.
func (f *freshSats) ordinary(count uint64, random draw.Source) (stretch, bool) {
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

// special reports whether a lot may contain sats that rare hands out. A stretch that starts with a block may reach into
// the next lot.
func special(first ordinals.Sat) bool {
	return first%coin == 0 || nearBlock(first) || first.CoinbaseHeight() == nineballHeight
}

// nearBlock reports whether a block starts in a lot, or shortly before it.
func nearBlock(first ordinals.Sat) bool {
	return first.Offset() < lot || (first+lot-1).CoinbaseHeight() != first.CoinbaseHeight()
}

// rare returns a stretch that starts with a sat that collectors look for.
func (f *freshSats) rare(count uint64, random draw.Source) (stretch, bool) {
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
