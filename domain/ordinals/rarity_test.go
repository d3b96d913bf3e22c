package ordinals_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
)

// TestRaritySupply counts the rarities of all sats: it asks for the first sat of each block, and counts the other sats
// as common.
func TestRaritySupply(t *testing.T) {
	t.Parallel()
	got := map[ordinals.Rarity]uint64{}
	for height := uint64(0); height < 33*ordinals.HalvingBlocks; height++ {
		got[ordinals.FirstSat(height).Rarity()]++
		got[ordinals.Common] += ordinals.Subsidy(height) - 1
	}
	same(t, "supply", got, map[ordinals.Rarity]uint64{
		ordinals.Mythic: 1, ordinals.Legendary: 5, ordinals.Epic: 27, ordinals.Rare: 3_432,
		ordinals.Uncommon: 6_926_535, ordinals.Common: 2_099_999_990_760_000,
	})
}

func TestRarityInAPeriod(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := 2016 * rapid.Uint64Range(0, 33*ordinals.HalvingBlocks/2016-1).Draw(t, "period")
		got := map[ordinals.Rarity]int{}
		for height := first; height < first+2016; height++ {
			sat := ordinals.FirstSat(height)
			got[sat.Rarity()]++
			if ordinals.Subsidy(height) > 1 {
				got[(sat+1).Rarity()]++ // never more than common
			}
		}
		// A halving is in the period, on its first block, or neither.
		halving := (first + ordinals.HalvingBlocks - 1) / ordinals.HalvingBlocks * ordinals.HalvingBlocks
		want := map[ordinals.Rarity]int{ordinals.Rare: 1, ordinals.Uncommon: 2015}
		switch {
		case first == 0:
			want = map[ordinals.Rarity]int{ordinals.Mythic: 1, ordinals.Uncommon: 2015}
		case halving == first:
			want = map[ordinals.Rarity]int{ordinals.Legendary: 1, ordinals.Uncommon: 2015}
		case halving < first+2016:
			want = map[ordinals.Rarity]int{ordinals.Rare: 1, ordinals.Epic: 1, ordinals.Uncommon: 2014}
		}
		for height := first; height < first+2016; height++ {
			if ordinals.Subsidy(height) > 1 {
				want[ordinals.Common]++
			}
		}
		for r := ordinals.Common; r <= ordinals.Mythic; r++ {
			if got[r] != want[r] {
				t.Fatalf("%s from height %d: got %d, want %d", r, first, got[r], want[r])
			}
		}
	})
}

func TestRarityText(t *testing.T) {
	t.Parallel()
	names := []string{"common", "uncommon", "rare", "epic", "legendary", "mythic"}
	for i, name := range names {
		r, err := ordinals.ParseRarity(name)
		if err != nil || r != ordinals.Rarity(i) || r.String() != name {
			t.Errorf("%s: got %v, %v", name, r, err)
		}
	}
	for _, text := range []string{"", "foo", "Common", "mythic "} {
		if r, err := ordinals.ParseRarity(text); err == nil {
			t.Errorf("ParseRarity(%q): got %v, want an error", text, r)
		}
	}
	same(t, "no such rarity", ordinals.Rarity(6).String(), "rarity 6")

	b, err := json.Marshal([]ordinals.Rarity{ordinals.Epic, ordinals.Common})
	if err != nil || string(b) != `["epic","common"]` {
		t.Errorf("got %s, %v", b, err)
	}
	var back []ordinals.Rarity
	if err := json.Unmarshal(b, &back); err != nil {
		t.Error(err)
	}
	same(t, "JSON", back, []ordinals.Rarity{ordinals.Epic, ordinals.Common})
	if err := json.Unmarshal([]byte(`["foo"]`), &back); err == nil {
		t.Error("foo is a rarity")
	}
}
