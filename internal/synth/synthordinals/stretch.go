package synthordinals

import "strata/domain/ordinals"

// stretch is a sequence of consecutive sats.
type stretch struct {
	first ordinals.Sat
	count uint64
}

// cut returns the part of some stretches with count sats from a position on.
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

// satAt returns the sat at a position, which must exist.
func satAt(all []stretch, position uint64) ordinals.Sat { return cut(all, position, 1)[0].first }
