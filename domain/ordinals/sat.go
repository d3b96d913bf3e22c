package ordinals

import (
	"fmt"
	"strconv"
	"strings"
)

// Bitcoin's schedule. Supply is the number of sats that will ever be mined.
const (
	HalvingBlocks    = 210_000 // in an epoch
	DifficultyBlocks = 2016    // in a period
	CycleEpochs      = 6       // in a cycle: until a halving and a difficulty adjustment coincide again
	Supply           = 2_099_999_997_690_000

	LastSat Sat = Supply - 1

	firstSubsidy = 5_000_000_000
	lastEpoch    = 32 // the last with a subsidy
)

// Sat is the ordinal number of a satoshi: how many were mined before it. The zero value is the first one ever; numbers
// from Supply on name no sat, and what the methods say of them means nothing.
type Sat uint64

// epochStarts has the first sat of each epoch.
var epochStarts = func() (starts [lastEpoch + 1]Sat) {
	for e := range lastEpoch {
		starts[e+1] = starts[e] + Sat(HalvingBlocks*(uint64(firstSubsidy)>>e))
	}
	return starts
}()

// Subsidy is the number of new sats in the block at a height.
func Subsidy(height uint64) uint64 { return firstSubsidy >> (height / HalvingBlocks) }

// FirstSat is the first new sat of the block at a height, and Supply for heights at which nothing is mined any more.
// So the sats of the heights from a to b are those from FirstSat(a) up to, but not including, FirstSat(b+1).
func FirstSat(height uint64) Sat {
	epoch := height / HalvingBlocks
	if epoch > lastEpoch {
		return Supply
	}
	return epochStarts[epoch] + Sat(height%HalvingBlocks*Subsidy(height))
}

// ParseSat reads the number of a sat, 0 ≤ n < Supply: decimal digits, leading zeros allowed, and after them an
// exponent such as in 1e3, which clients of ordinals-api may send. A sign, a fraction or anything else is an error.
func ParseSat(text string) (Sat, error) {
	digits, exponent := text, ""
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		digits, exponent = text[:e], strings.TrimPrefix(text[e+1:], "+")
		if !isDigits(exponent) {
			return 0, errSat(text)
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n >= Supply {
		return 0, errSat(text)
	}
	if exponent == "" || n == 0 {
		return Sat(n), nil
	}
	zeros, err := strconv.ParseUint(exponent, 10, 64)
	if err != nil {
		return 0, errSat(text)
	}
	for ; zeros > 0; zeros-- {
		if n *= 10; n >= Supply {
			return 0, errSat(text)
		}
	}
	return Sat(n), nil
}

func errSat(text string) error {
	return fmt.Errorf("sat %.80q: want a whole number from 0 to %d", text, LastSat)
}

// isDigits reports whether text is one decimal digit or more.
func isDigits(text string) bool {
	for _, ch := range []byte(text) {
		if ch < '0' || ch > '9' {
			return false
		}
	}
	return text != ""
}

// Valid reports whether there is such a sat.
func (s Sat) Valid() bool { return s < Supply }

// String is the number in decimal digits.
func (s Sat) String() string { return strconv.FormatUint(uint64(s), 10) }

// Epoch is the number of halvings before the sat was mined, 0 to 32.
func (s Sat) Epoch() uint64 {
	e := 0
	for e < lastEpoch && s >= epochStarts[e+1] {
		e++
	}
	return uint64(e)
}

// place is the height of the block that mined the sat and the position among the new sats of that block.
func (s Sat) place() (height, offset uint64) {
	epoch := s.Epoch()
	within, subsidy := uint64(s-epochStarts[epoch]), uint64(firstSubsidy)>>epoch
	return epoch*HalvingBlocks + within/subsidy, within % subsidy
}

// CoinbaseHeight is the height of the block that mined the sat.
func (s Sat) CoinbaseHeight() uint64 {
	height, _ := s.place()
	return height
}

// Offset is the position of the sat among the new ones of its block, from 0.
func (s Sat) Offset() uint64 {
	_, offset := s.place()
	return offset
}

// Cycle is the number of whole cycles before the sat, 0 to 5.
func (s Sat) Cycle() uint64 { return s.Epoch() / CycleEpochs }

// Period is the number of difficulty adjustments before the sat.
func (s Sat) Period() uint64 { return s.CoinbaseHeight() / DifficultyBlocks }
