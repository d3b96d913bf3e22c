package ordinals

import (
	"fmt"
	"strconv"
)

// Decimal returns the height and the offset, such as 2016.1.
func (s Sat) Decimal() string {
	height, offset := s.position()
	return fmt.Sprintf("%d.%d", height, offset)
}

// Degree returns the position of the sat as on a clock, such as 0°2016′0″1‴: the cycle, the block of the epoch, the
// block of the difficulty period, and the offset in the block.
func (s Sat) Degree() string {
	height, offset := s.position()
	return fmt.Sprintf("%d°%d′%d″%d‴", s.Cycle(), height%HalvingBlocks, height%DifficultyBlocks, offset)
}

// Name returns the number of the sat in letters: in base 26 without a zero, counted from the end. The last sat is "a",
// and the first is "nvtdijuwxlp".
func (s Sat) Name() string {
	if !s.Valid() {
		return ""
	}
	const longest = len("nvtdijuwxlp")
	var letters [longest]byte
	begin := len(letters)
	for left := Supply - uint64(s); left > 0; left = (left - 1) / 26 {
		begin--
		letters[begin] = 'a' + byte((left-1)%26)
	}
	return string(letters[begin:])
}

// Percentile returns the part of all sats that come before, such as 5.968989226481892%. The number is the shortest text
// that parses to the same float, never with an exponent.
func (s Sat) Percentile() string {
	part := float64(s) / float64(LastSat)
	return strconv.FormatFloat(part*100, 'f', -1, 64) + "%"
}
