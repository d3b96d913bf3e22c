package ordinals

import (
	"fmt"
	"strconv"
)

// Decimal is the height and the offset, such as 2016.1.
func (s Sat) Decimal() string {
	height, offset := s.place()
	return fmt.Sprintf("%d.%d", height, offset)
}

// Degree is the place of the sat as on a clock, such as 0°2016′0″1‴: cycle, block of the epoch, block of the difficulty
// period, offset in the block.
func (s Sat) Degree() string {
	height, offset := s.place()
	return fmt.Sprintf("%d°%d′%d″%d‴", s.Cycle(), height%HalvingBlocks, height%DifficultyBlocks, offset)
}

// Name is the sat in letters, in base 26 without a zero and counted from the end: the last sat is a, the first one
// nvtdijuwxlp.
func (s Sat) Name() string {
	if !s.Valid() {
		return ""
	}
	const longest = len("nvtdijuwxlp")
	var letters [longest]byte
	at := len(letters)
	for left := Supply - uint64(s); left > 0; left = (left - 1) / 26 {
		at--
		letters[at] = 'a' + byte((left-1)%26)
	}
	return string(letters[at:])
}

// Percentile is the part of all sats that come before, such as 5.968989226481892%: the shortest text that gives the
// float back, never with an exponent.
func (s Sat) Percentile() string {
	part := float64(s) / float64(LastSat)
	return strconv.FormatFloat(part*100, 'f', -1, 64) + "%"
}
