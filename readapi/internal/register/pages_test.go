package register

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/shard"
)

// Pages are a map that is copied at each change; whatever comes of a copy, the one it was made from stays.
func TestPages(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(rapid.SampledFrom([]int32{0, 1, pageSize - 1, pageSize, shard.Count - pageSize, shard.Count - 1}), rapid.Int32Range(0, shard.Count-1))
	changes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) change {
		return change{number.Draw(t, "shard"), rapid.Int64Range(0, 1<<40).Draw(t, "position")}
	}), 0, 20)
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			pages *pages
			want  map[int32]int64
		}
		all := []pair{{&pages{}, map[int32]int64{}}}
		for range rapid.IntRange(1, 8).Draw(t, "copies") {
			from := all[rapid.IntRange(0, len(all)-1).Draw(t, "from")]
			list := changes.Draw(t, "changes")
			want := maps.Clone(from.want)
			for _, c := range list {
				want[c.shard] = c.position // of two changes of a shard the later one counts
			}
			all = append(all, pair{from.pages.with(list), want})
			checkSharing(t, from.pages, all[len(all)-1].pages, list)
		}
		for i, p := range all {
			for n := range int32(shard.Count) {
				if got := p.pages.at(n); got != p.want[n] {
					t.Fatalf("pages %d, shard %d: got %d, want %d", i, n, got, p.want[n])
				}
			}
		}
	})
}

// checkSharing says that pages without a change are not copied: there are 256 of 2 KiB, and a block changes few.
func checkSharing(t *rapid.T, before, after *pages, changes []change) {
	changed := map[int32]bool{}
	for _, c := range changes {
		changed[c.shard/pageSize] = true
	}
	for n := range before {
		if same := before[n] == after[n]; same == changed[int32(n)] {
			t.Fatalf("page %d: it changed is %t, it is shared is %t", n, changed[int32(n)], same)
		}
	}
}
