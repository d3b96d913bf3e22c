package decode

import (
	"sync"
	"time"
)

// cache caches the decoded content of the events that were decoded last, up to a number of bytes of their
// bodies. It evicts in the order of insertion: each projection reads events once, in the order in which they were
// decoded, so neither recency nor frequency says anything. It is safe for concurrent use.
//
// An event that would take most of the cache, such as the genesis block of mainnet with its 80 MB, has a place of its own.
// All followers need it, but some only minutes after the others. It stays there until nobody has asked for it for
// largePatience, or another such event comes.
type cache[T any] struct {
	mu      sync.Mutex
	entries map[int64]cacheEntry[T]
	order   []int64
	bytes   int64
	max     int64
	flights map[int64]chan struct{} // events that somebody reads now; closed when that is over

	large    int64 // the event that has a place of its own; 0 for none
	patience time.Duration
	expiry   *time.Timer
}

type cacheEntry[T any] struct {
	value T
	size  int64
}

// cacheOverhead is added to the size of each body, so that many small ones are bounded too.
const cacheOverhead = 1 << 10

// largePatience is how long a large event stays in the cache without being asked for. A follower that folds one takes a
// part of this time.
const largePatience = 2 * time.Minute

func newCache[T any](max int64) *cache[T] {
	return &cache[T]{entries: map[int64]cacheEntry[T]{}, max: max, flights: map[int64]chan struct{}{}, patience: largePatience}
}

func (c *cache[T]) put(seq, size int64, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[seq]; ok {
		return
	}
	c.entries[seq] = cacheEntry[T]{value, size}
	if size > c.max/2 {
		c.dropLarge()
		c.large = seq
		c.expiry = time.AfterFunc(c.patience, func() { c.expire(seq) })
		return
	}
	c.order = append(c.order, seq)
	c.bytes += size + cacheOverhead
	for c.bytes > c.max {
		oldest := c.order[0]
		c.bytes -= c.entries[oldest].size + cacheOverhead
		delete(c.entries, oldest)
		c.order = c.order[1:]
	}
}

func (c *cache[T]) expire(seq int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.large == seq {
		c.dropLarge()
	}
}

// dropLarge drops the large event, if there is one. The cache is locked.
func (c *cache[T]) dropLarge() {
	if c.large == 0 {
		return
	}
	delete(c.entries, c.large)
	c.large = 0
	c.expiry.Stop()
}

// claim returns the cached content of events. Of the others, mine are those that the caller must read now, and call
// release when they are in the cache; theirs are closed when somebody else has read some.
func (c *cache[T]) claim(seqs []int64) (found map[int64]T, mine []int64, theirs []<-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make(map[int64]T, len(seqs))
	for _, seq := range seqs {
		if value, ok := c.look(seq); ok {
			found[seq] = value
			continue
		}
		if flight, ok := c.flights[seq]; ok {
			theirs = append(theirs, flight)
			continue
		}
		c.flights[seq] = make(chan struct{})
		mine = append(mine, seq)
	}
	return found, mine, theirs
}

// release tells others that events were read, or could not be.
func (c *cache[T]) release(seqs []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, seq := range seqs {
		close(c.flights[seq])
		delete(c.flights, seq)
	}
}

// get returns the cached content of an event.
func (c *cache[T]) get(seq int64) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look(seq)
}

// look returns the content of an event. The cache is locked.
func (c *cache[T]) look(seq int64) (value T, ok bool) {
	e, ok := c.entries[seq]
	if ok && seq == c.large {
		c.expiry.Reset(c.patience)
	}
	return e.value, ok
}
