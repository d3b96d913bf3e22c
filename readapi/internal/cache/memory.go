package cache

import (
	"math"

	"github.com/maypok86/otter/v2"
)

// entryOverhead is what an entry costs besides its key and value: otter's node (links, weight, state, rounded up to an
// allocation size), its place in the hash table at the usual load, and its counters in the frequency sketch. Measured:
// TestMemoryBound fails if it is far off.
const entryOverhead = 96

// shareMax is the part of the bound, 1/shareMax, that a single value may have.
const shareMax = 16

// Memory is a map bounded by the memory that it holds, for values that are made from their key alone and so never
// change. It is safe for concurrent use; Get allocates nothing.
//
// # Who stays
//
// What to evict is otter's W-TinyLFU: newcomers enter a window of 1 % of the bound (which it widens when recency pays
// off) and stay there while they are among the last used; who falls out of the window gets into the main part
// if it was asked for more often than the entry that would have to go. An entry asked for once therefore passes
// through, and doesn't push out what is asked for all the time. The keys that a new block brings are hot at once:
// each hit renews their place in the window and counts for them, so they have won against the last block's, which nobody
// asks for any more, before they leave it. Only a value larger than the window can't wait there:
// in a full tier it gets in after it was set a few times. TestHotNewcomerStays holds this.
type Memory[K comparable, V any] struct {
	// entries is a copy of what otter made, which is a pointer to the cache proper. The runtime keeps that until the original is gone,
	// to end what goroutines there are: with values that lead back to the original, that would be never. There are none without
	// expiry.
	entries otter.Cache[K, V]
	weigh   func(K, V) int
	largest int
}

// NewMemory returns a map of at most bytes. Function weigh returns the bytes that a key and a value hold; the cost of
// an entry itself is added to it. Function evicted is called for each entry that has to go, and may be nil.
func NewMemory[K comparable, V any](bytes int64, weigh func(K, V) int, evicted func()) *Memory[K, V] {
	bytes = max(bytes, 1)
	options := &otter.Options[K, V]{
		MaximumWeight: uint64(bytes),
		Weigher: func(key K, value V) uint32 {
			return uint32(min(max(weigh(key, value), 0)+entryOverhead, math.MaxUint32))
		},
		// In place: what there is to do takes less than to start a goroutine for it.
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
	return &Memory[K, V]{entries: *otter.Must(options), weigh: weigh, largest: int(min(bytes/shareMax, math.MaxInt32))}
}

// Get returns the value of key if it is there.
func (m *Memory[K, V]) Get(key K) (V, bool) { return m.entries.GetIfPresent(key) }

// Set keeps a value, unless it is heavier than a sixteenth of the bound or the key has one already.
func (m *Memory[K, V]) Set(key K, value V) {
	if m.weigh(key, value) > m.largest {
		return
	}
	m.entries.SetIfAbsent(key, value)
}

// Replace is Set for values that do change: it takes the place of the value that the key has.
func (m *Memory[K, V]) Replace(key K, value V) {
	if m.weigh(key, value) > m.largest {
		m.entries.Invalidate(key)
		return
	}
	m.entries.Set(key, value)
}

// Reweigh weighs the value of a key again, if it is still there: some become heavier after they were made. The bound holds
// for what they weigh then, the limit of a sixteenth does not.
func (m *Memory[K, V]) Reweigh(key K) {
	m.entries.ComputeIfPresent(key, func(value V) (V, otter.ComputeOp) { return value, otter.WriteOp })
}

// Len is how many entries there are, roughly.
func (m *Memory[K, V]) Len() int { return m.entries.EstimatedSize() }

// Bytes is what they weigh.
func (m *Memory[K, V]) Bytes() int64 { return int64(min(m.entries.WeightedSize(), math.MaxInt64)) }
