package projections

import "sync"

// decodedCache keeps what was decoded last of some events, up to a number of bytes of their bodies. It forgets in the
// order of insertion: events are read in the order in which they were decoded, once by each projection, so neither recency
// nor frequency says anything. It is safe for concurrent use.
type decodedCache[T any] struct {
	mu    sync.Mutex
	kept  map[int64]kept[T]
	order []int64
	bytes int64
	max   int64
}

type kept[T any] struct {
	value T
	size  int64
}

// keptOverhead is added to each body, so that many small ones are bounded too.
const keptOverhead = 1 << 10

func newDecodedCache[T any](max int64) *decodedCache[T] {
	return &decodedCache[T]{kept: map[int64]kept[T]{}, max: max}
}

func (c *decodedCache[T]) put(seq, size int64, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.kept[seq]; there {
		return
	}
	c.kept[seq] = kept[T]{value, size}
	c.order = append(c.order, seq)
	c.bytes += size + keptOverhead
	for c.bytes > c.max {
		oldest := c.order[0]
		c.bytes -= c.kept[oldest].size + keptOverhead
		delete(c.kept, oldest)
		c.order = c.order[1:]
	}
}

// get returns what is there, and the positions of what is not.
func (c *decodedCache[T]) get(seqs []int64) (found map[int64]T, missing []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make(map[int64]T, len(seqs))
	for _, seq := range seqs {
		if k, ok := c.kept[seq]; ok {
			found[seq] = k.value
		} else {
			missing = append(missing, seq)
		}
	}
	return found, missing
}

// one returns what is there of one event.
func (c *decodedCache[T]) one(seq int64) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[seq]
	return k.value, ok
}
