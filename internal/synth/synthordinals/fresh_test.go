package synthordinals

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/ordinals"
	"strata/internal/synth/draw"
)

// TestFreshSatsAreFresh draws stretches of all kinds. None of them overlap, and all were mined before the feed starts.
func TestFreshSatsAreFresh(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		start := rapid.OneOf(rapid.Uint64Range(20, 100), rapid.Uint64Range(767_430, 900_000), rapid.Uint64Range(2_500_000, 3_000_000)).Draw(r, "start")
		random := draw.New(rapid.Uint64().Draw(r, "seed"), 1)
		f := newFreshSats(start, random)
		var all []stretch
		for range 3000 {
			get, count := f.ordinary, 1+random.Uint64N(lot)
			if random.IntN(2) == 0 {
				get = f.rare
			}
			s, ok := get(count, random)
			if !ok || s.count != count || s.first+ordinals.Sat(count) > ordinals.FirstSat(start) {
				r.Fatalf("got %v of %d sats, of those below %d", s, count, ordinals.FirstSat(start))
			}
			// Both ends of a special stretch are in special lots, and both ends of an ordinary one in ordinary lots.
			first, last := s.first/lot*lot, (s.first+ordinals.Sat(count)-1)/lot*lot
			rare := s.first.Offset() == 0 || s.first%coin == 0 || s.first.CoinbaseHeight() == nineballHeight
			if special(first) != rare || special(last) != rare {
				r.Fatalf("%v is from lots %d and %d, which are special: %v and %v", s, first, last, special(first), special(last))
			}
			all = append(all, s)
		}
		slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.first, b.first) })
		for i := 1; i < len(all); i++ {
			if all[i-1].first+ordinals.Sat(all[i-1].count) > all[i].first {
				r.Fatalf("%v and %v overlap", all[i-1], all[i])
			}
		}
	})
}

func TestFreshSatsEnd(t *testing.T) {
	t.Parallel()
	random := draw.New(1, 1)
	f := newFreshSats(20, random)
	f.lots.length = 40
	n := 0
	for ; n < 100; n++ {
		if _, ok := f.ordinary(1, random); !ok {
			break
		}
	}
	if n == 0 || n > 40 {
		t.Errorf("got %d stretches of at most 40 lots", n)
	}
}

func TestWalkVisitsEachOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		length := rapid.Uint64Range(0, 500).Draw(r, "length")
		w := newWalk(length, draw.New(rapid.Uint64().Draw(r, "seed"), 1))
		seen := map[uint64]bool{}
		for {
			n, ok := w.next()
			if !ok {
				break
			}
			if n >= length || seen[n] {
				r.Fatalf("%d of %d, seen before: %v", n, length, seen[n])
			}
			seen[n] = true
		}
		if uint64(len(seen)) != length {
			r.Fatalf("visited %d of %d", len(seen), length)
		}
	})
}

// TestCut compares the result with a list of all sats.
func TestCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var all []stretch
		var sats []ordinals.Sat
		list := func(all []stretch) (sats []ordinals.Sat) {
			for _, s := range all {
				for i := range s.count {
					sats = append(sats, s.first+ordinals.Sat(i))
				}
			}
			return sats
		}
		for range rapid.IntRange(0, 5).Draw(r, "stretches") {
			all = append(all, stretch{first: ordinals.Sat(rapid.Uint64Range(0, 1000).Draw(r, "first")), count: rapid.Uint64Range(1, 9).Draw(r, "count")})
		}
		sats = list(all)
		from := rapid.IntRange(0, len(sats)).Draw(r, "from")
		count := rapid.IntRange(0, len(sats)-from).Draw(r, "count")
		if got := list(cut(all, uint64(from), uint64(count))); !slices.Equal(got, sats[from:from+count]) {
			r.Fatalf("got %v, want %v", got, sats[from:from+count])
		}
	})
}
