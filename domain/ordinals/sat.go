package ordinals

import (
	"fmt"
	"strconv"
	"strings"
)

// The constants of Bitcoin's schedule.
const (
	HalvingBlocks    = 210_000               // blocks in an epoch
	DifficultyBlocks = 2016                  // blocks in a difficulty period
	CycleEpochs      = 6                     // epochs in a cycle: until a halving and a difficulty adjustment coincide again
	Supply           = 2_099_999_997_690_000 // sats that will ever be mined

	LastSat Sat = Supply - 1

	firstSubsidy = 5_000_000_000
	lastEpoch    = 32 // the last epoch with a subsidy
)

// Sat is the ordinal number of a satoshi: the number of satoshis that were mined before it. The zero value is the first
// satoshi. A number from Supply on is not a sat, and the results of its methods mean nothing.
type Sat uint64

// epochStarts has the first sat of each epoch.
var epochStarts = func() (starts [lastEpoch + 1]Sat) {
	for e := range lastEpoch {
		starts[e+1] = starts[e] + Sat(HalvingBlocks*(uint64(firstSubsidy)>>e))
	}
	return starts
}()

// Subsidy returns the number of new sats in the block at height.
func Subsidy(height uint64) uint64 { return firstSubsidy >> (height / HalvingBlocks) }

// FirstSat returns the first new sat of the block at height, or Supply for heights without a subsidy. So the blocks
// from height a to b mine the sats from FirstSat(a) up to, but not including, FirstSat(b+1).
func FirstSat(height uint64) Sat {
	epoch := height / HalvingBlocks
	if epoch > lastEpoch {
		return Supply
	}
	return epochStarts[epoch] + Sat(height%HalvingBlocks*Subsidy(height))
}

// ParseSat parses the number of a sat, 0 ≤ n < Supply. It accepts decimal digits with leading zeros, and an exponent as
// in 1e3, because clients of ordinals-api may send one. A sign, a fraction or anything else is an error.
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

// isDigits reports whether text consists of one or more decimal digits.
func isDigits(text string) bool {
	for _, ch := range []byte(text) {
		if ch < '0' || ch > '9' {
			return false
		}
	}
	return text != ""
}

// Valid reports whether s is the number of a sat.
func (s Sat) Valid() bool { return s < Supply }

// String returns the number in decimal digits.
func (s Sat) String() string { return strconv.FormatUint(uint64(s), 10) }

// Epoch returns the number of halvings before the sat was mined, 0 to 32.
func (s Sat) Epoch() uint64 {
	e := 0
	for e < lastEpoch && s >= epochStarts[e+1] {
		e++
	}
	return uint64(e)
}

// position returns the height of the block that mined the sat, and the index among the new sats of that block.
func (s Sat) position() (height, offset uint64) {
	epoch := s.Epoch()
	within, subsidy := uint64(s-epochStarts[epoch]), uint64(firstSubsidy)>>epoch
	return epoch*HalvingBlocks + within/subsidy, within % subsidy
}

// CoinbaseHeight returns the height of the block that mined the sat.
func (s Sat) CoinbaseHeight() uint64 {
	height, _ := s.position()
	return height
}

// Offset returns the index of the sat among the new sats of its block.
func (s Sat) Offset() uint64 {
	_, offset := s.position()
	return offset
}

// Cycle returns the number of whole cycles before the sat, 0 to 5.
func (s Sat) Cycle() uint64 { return s.Epoch() / CycleEpochs }

// Period returns the number of difficulty adjustments before the sat.
func (s Sat) Period() uint64 { return s.CoinbaseHeight() / DifficultyBlocks }
