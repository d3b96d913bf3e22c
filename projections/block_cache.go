package projections

import "sync"

// blockCache keeps the blocks that were decoded last, up to a number of bytes of their bodies. It forgets in the order
// of insertion: blocks are read in the order in which they were decoded, once by each projection, so neither recency
// nor frequency says anything. It is safe for concurrent use.
type blockCache struct {
	mu     sync.Mutex
	blocks map[int64]*Block
	order  []int64
	bytes  int64
	max    int64
}

// blockOverhead is added to each body, so that many small blocks are bounded too.
const blockOverhead = 1 << 10

func newBlockCache(max int64) *blockCache {
	return &blockCache{blocks: map[int64]*Block{}, max: max}
}

func (c *blockCache) put(b *Block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks[b.Seq] != nil {
		return
	}
	c.blocks[b.Seq] = b
	c.order = append(c.order, b.Seq)
	c.bytes += b.BodySize + blockOverhead
	for c.bytes > c.max {
		oldest := c.blocks[c.order[0]]
		delete(c.blocks, c.order[0])
		c.order = c.order[1:]
		c.bytes -= oldest.BodySize + blockOverhead
	}
}

// get returns the blocks that are there, and the positions of those that are not.
func (c *blockCache) get(seqs []int64) (found map[int64]*Block, missing []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make(map[int64]*Block, len(seqs))
	for _, seq := range seqs {
		if b := c.blocks[seq]; b != nil {
			found[seq] = b
		} else {
			missing = append(missing, seq)
		}
	}
	return found, missing
}
