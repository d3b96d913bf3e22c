package follow

import "sync"

// decodedCache caches the decoded content of the events that were decoded last, up to a number of bytes of their
// bodies. It evicts in the order of insertion: each projection reads events once, in the order in which they were
// decoded, so neither recency nor frequency says anything. It is safe for concurrent use.
type decodedCache[T any] struct {
	mu      sync.Mutex
	entries map[int64]cacheEntry[T]
	order   []int64
	bytes   int64
	max     int64
}

type cacheEntry[T any] struct {
	value T
	size  int64
}

// cacheOverhead is added to the size of each body, so that many small ones are bounded too.
const cacheOverhead = 1 << 10

func newDecodedCache[T any](max int64) *decodedCache[T] {
	return &decodedCache[T]{entries: map[int64]cacheEntry[T]{}, max: max}
}

func (c *decodedCache[T]) put(seq, size int64, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[seq]; ok {
		return
	}
	c.entries[seq] = cacheEntry[T]{value, size}
	c.order = append(c.order, seq)
	c.bytes += size + cacheOverhead
	for c.bytes > c.max {
		oldest := c.order[0]
		c.bytes -= c.entries[oldest].size + cacheOverhead
		delete(c.entries, oldest)
		c.order = c.order[1:]
	}
}

// getMany returns the cached content of events, and the positions of the events that are not cached.
func (c *decodedCache[T]) getMany(seqs []int64) (found map[int64]T, missing []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make(map[int64]T, len(seqs))
	for _, seq := range seqs {
		if e, ok := c.entries[seq]; ok {
			found[seq] = e.value
		} else {
			missing = append(missing, seq)
		}
	}
	return found, missing
}

// get returns the cached content of an event.
func (c *decodedCache[T]) get(seq int64) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[seq]
	return e.value, ok
}
