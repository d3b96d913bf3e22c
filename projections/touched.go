package projections

import (
	"maps"
	"slices"

	"strata/domain/hash"
	"strata/domain/shard"
)

// touchedMax is how many shards a fold may name. Writing a longer list costs more than it saves readers, so beyond this
// everything counts as changed.
const touchedMax = shard.Count / 8

// Touched are the resources that a fold changed, whose cached answers are stale. The nil *Touched is every resource. A
// projection that follows blocks one at a time should name them; a batch of thousands of blocks need not.
type Touched struct {
	shards map[int32]struct{}
}

// NewTouched returns an empty Touched: nothing has changed.
func NewTouched() *Touched { return &Touched{shards: map[int32]struct{}{}} }

// Add names resources, in the vocabulary of package domain/shard. On a nil *Touched it does nothing.
func (t *Touched) Add(names ...string) {
	if t == nil {
		return
	}
	for _, name := range names {
		t.shards[shard.Of(name)] = struct{}{}
	}
}

// AddBlock names a block by its height and by both of its hashes.
func (t *Touched) AddBlock(height int64, indexBlockHash, blockHash hash.Hash32) {
	t.Add(shard.Height(height), shard.Block(indexBlockHash), shard.Block(blockHash))
}

// AddAccounts names accounts.
func (t *Touched) AddAccounts(accounts []string) {
	for _, account := range accounts {
		t.Add(shard.Account(account))
	}
}

// Includes reports whether cached answers about a resource are stale.
func (t *Touched) Includes(name string) bool {
	if _, everything := t.Shards(); everything {
		return true
	}
	_, ok := t.shards[shard.Of(name)]
	return ok
}

// Shards returns the shards of the resources in ascending order. everything is true when they are unknown or too many.
func (t *Touched) Shards() (shards []int32, everything bool) {
	if t == nil || len(t.shards) > touchedMax {
		return nil, true
	}
	return slices.Sorted(maps.Keys(t.shards)), false
}
