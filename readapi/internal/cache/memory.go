package cache

import (
	"math"

	"github.com/maypok86/otter/v2"
)

// entryOverhead is the memory of an entry besides its key and value, in bytes: otter's node (links, weight, state, rounded
// up to an allocation size), its slot in the hash table at the usual load, and its counters in the frequency sketch. It is
// measured: TestMemoryBound fails if it is far off.
const entryOverhead = 96

// shareMax limits a single value to 1/shareMax of the bound.
const shareMax = 16

// Memory is a map bounded by the memory that it holds, for values that depend only on their key and so never change. It is
// safe for concurrent use; Get allocates nothing.
//
// # Eviction
//
// Eviction is otter's W-TinyLFU. New entries enter a window of 1 % of the bound, which otter widens when recency pays off,
// and stay there while they are among the most recently used. An entry that falls out of the window moves to the main part
// if it was requested more often than the entry that it would replace. An entry that is requested once therefore passes
// through without displacing popular ones. The keys of a new block are popular at once: each hit renews their place in the
// window and raises their count, so that they have outdone the previous block's keys, which are no longer requested, before
// they leave the window. Only a value larger than the window can't wait there: in a full tier it is admitted after it was
// set a few times. TestHotNewcomerStays verifies this.
type Memory[K comparable, V any] struct {
	// entries is a copy of the cache that otter returned, which only points to the real one. A cleanup, which would end
	// otter's goroutines, keeps the real cache alive until the original is collected. With values that refer back to the
	// original, that would be never. Without expiry there are no goroutines to end, so a copy is safe.
	entries entries[K, V]
	weigh   func(K, V) int
	largest int
}

// entries is what Memory needs of otter.Cache. It is an interface because a package compiles all of otter anew for each
// type of a cache that it sees, and every resource sees an engine with its caches: only NewMemory names the type.
type entries[K comparable, V any] interface {
	GetIfPresent(key K) (V, bool)
	SetIfAbsent(key K, value V) (V, bool)
	Set(key K, value V) (V, bool)
	Invalidate(key K) (V, bool)
	ComputeIfPresent(key K, remap func(V) (V, otter.ComputeOp)) (V, bool)
	EstimatedSize() int
	WeightedSize() uint64
}

// NewMemory returns a map that holds at most this many bytes. weigh returns the memory of a key and a value, to which the
// map adds the overhead of an entry. evicted, which may be nil, is called for each evicted entry.
func NewMemory[K comparable, V any](bytes int64, weigh func(K, V) int, evicted func()) *Memory[K, V] {
	bytes = max(bytes, 1)
	options := &otter.Options[K, V]{
		MaximumWeight: uint64(bytes),
		Weigher: func(key K, value V) uint32 {
			return uint32(min(max(weigh(key, value), 0)+entryOverhead, math.MaxUint32))
		},
		// In place, because maintenance costs less than starting a goroutine for it.
		Executor: func(maintain func()) { maintain() },
	}
	if evicted != nil {
		// In place, because otter starts a goroutine for each OnDeletion.
		options.OnAtomicDeletion = func(e otter.DeletionEvent[K, V]) {
			if e.WasEvicted() {
				evicted()
			}
		}
	}
	copied := *otter.Must(options)
	return &Memory[K, V]{entries: &copied, weigh: weigh, largest: int(min(bytes/shareMax, math.MaxInt32))}
}

// Get returns the value of key if it is there.
func (m *Memory[K, V]) Get(key K) (V, bool) { return m.entries.GetIfPresent(key) }

// Set stores a value, unless it is heavier than a sixteenth of the bound, or the key already has one.
func (m *Memory[K, V]) Set(key K, value V) {
	if m.weigh(key, value) > m.largest {
		return
	}
	m.entries.SetIfAbsent(key, value)
}

// Replace is Set for values that change: it replaces the key's value. If the new value is too heavy, the key has none.
func (m *Memory[K, V]) Replace(key K, value V) {
	if m.weigh(key, value) > m.largest {
		m.entries.Invalidate(key)
		return
	}
	m.entries.Set(key, value)
}

// Reweigh weighs the value of a key again, if it is still there, after the value has become heavier. The bound counts the
// new weight; the limit of a sixteenth does not apply to it.
func (m *Memory[K, V]) Reweigh(key K) {
	m.entries.ComputeIfPresent(key, func(value V) (V, otter.ComputeOp) { return value, otter.WriteOp })
}

// Len returns the approximate number of entries.
func (m *Memory[K, V]) Len() int { return m.entries.EstimatedSize() }

// Bytes returns the weight of all entries.
func (m *Memory[K, V]) Bytes() int64 { return int64(min(m.entries.WeightedSize(), math.MaxInt64)) }
