package synthordinals

import "strata/domain/ordinals"

// stretch is some sats in a row.
type stretch struct {
	first ordinals.Sat
	count uint64
}

// cut is the part of some stretches from a position on, so many sats of it.
func cut(all []stretch, from, count uint64) []stretch {
	var part []stretch
	for _, s := range all {
		if count == 0 {
			break
		}
		if from >= s.count {
			from -= s.count
			continue
		}
		n := min(s.count-from, count)
		part = append(part, stretch{first: s.first + ordinals.Sat(from), count: n})
		from, count = 0, count-n
	}
	return part
}

// satAt is the sat at a position. There has to be one.
func satAt(all []stretch, position uint64) ordinals.Sat { return cut(all, position, 1)[0].first }
