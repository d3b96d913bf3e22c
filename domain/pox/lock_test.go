package pox

import (
	"math"
	"testing"
)

func TestInForce(t *testing.T) {
	t.Parallel()
	height := func(h int64) *int64 { return &h }
	forced := ForcedUnlocks{height(781_552), height(787_652), nil, height(960_230)}
	for _, c := range []struct {
		version                  int
		unlockHeight, burnHeight int64
		want                     bool
	}{
		{1, 700_000, 699_999, true},
		{1, 700_000, 700_000, false},
		{1, 700_000, 700_001, false},
		{1, 800_000, 781_551, true},
		{1, 800_000, 781_552, false},
		{2, 800_000, 787_651, true},
		{2, 800_000, 787_652, false},
		{3, 900_000, 899_999, true}, // no forced unlock is known
		{3, 900_000, 900_000, false},
		{4, 970_000, 960_229, true},
		{4, 970_000, 960_230, false},
		{5, 970_000, 960_230, true}, // never forced to end
		{5, 970_000, 969_999, true},
		{5, 970_000, 970_000, false},
		{0, 10, 9, true},
		{0, math.MinInt64, 0, false},
		{6, math.MaxInt64, math.MaxInt64 - 1, true},
	} {
		if got := forced.InForce(c.version, c.unlockHeight, c.burnHeight); got != c.want {
			t.Errorf("a lock of pox-%d until %d at height %d: got %t, want %t", c.version, c.unlockHeight, c.burnHeight, got, c.want)
		}
	}
}
