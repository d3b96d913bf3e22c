package domain_test

import (
	"strconv"
	"testing"

	"strata/domain/hash"
	"strata/domain/shard"
)

// Shard numbers are stored in the database, so the function must not change.
func TestStoredNumbers(t *testing.T) {
	for name, want := range map[string]int32{
		shard.Account("SP000000000000000000002Q6VF78"): 15317,
		shard.Height(1350):             34744,
		shard.Block(hash.Hash32{1, 2}): 38727,
	} {
		if got := shard.Of(name); got != want {
			t.Errorf("%q: got shard %d, want %d", name, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	const names = 4 * shard.Count
	used := map[int32]bool{}
	for i := range names {
		s := shard.Of(shard.Account(strconv.Itoa(i)))
		if s < 0 || s >= shard.Count {
			t.Fatalf("shard %d is out of range", s)
		}
		used[s] = true
	}
	// With 4n balls in n bins, 1 - e^-4 = 98.2 % of the bins are not empty.
	if len(used) < shard.Count*97/100 {
		t.Errorf("%d names are in %d of %d shards", names, len(used), shard.Count)
	}
}
