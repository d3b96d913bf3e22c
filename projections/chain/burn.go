package chain

import (
	"strata/domain/hash"
)

// burnKey identifies an announcement of a Bitcoin block: the same block can be announced again with another sortition.
// consensus is zero if the node did not send it (before release 3.1.0.0.4).
type burnKey struct {
	hash      hash.Hash32
	consensus hash.Hash20
}

// burnBlock is what fork choice needs to know about a Bitcoin block.
type burnBlock struct {
	key       burnKey
	parent    hash.Hash32 // zero if the node did not send it (before release 3.1.0.0.9)
	height    int64
	seq       int64 // the event of its first announcement
	changed   int64 // the event that last changed canonical
	size      int64 // bytes of event seq
	canonical bool
	stored    bool // its row is in the table
	// stepSaysFollowed is true if the last step about the block says that it is followed.
	stepSaysFollowed bool
}

// burnBlocks is an index of the Bitcoin blocks that were read or announced so far.
type burnBlocks struct {
	byKey map[burnKey]*burnBlock
	// byHash and byConsensus have the announcements with a hash: of several heights, those with the greatest one. So a block above
	// all that are known is alone in its entry, whatever the table has.
	byHash      map[hash.Hash32][]*burnBlock
	byConsensus map[hash.Hash20][]*burnBlock
	// queriedHashes and queriedConsensus hold what the table was queried for already.
	queriedHashes    map[hash.Hash32]bool
	queriedConsensus map[hash.Hash20]bool
}

func newBurnBlocks() burnBlocks {
	return burnBlocks{
		byKey:            map[burnKey]*burnBlock{},
		byHash:           map[hash.Hash32][]*burnBlock{},
		byConsensus:      map[hash.Hash20][]*burnBlock{},
		queriedHashes:    map[hash.Hash32]bool{},
		queriedConsensus: map[hash.Hash20]bool{},
	}
}

// put adds b unless a block with its key is known, and returns the block that the index holds.
func (m burnBlocks) put(b *burnBlock) *burnBlock {
	if known := m.byKey[b.key]; known != nil {
		return known
	}
	m.byKey[b.key] = b
	m.byHash[b.key.hash] = addHighest(m.byHash[b.key.hash], b)
	if !b.key.consensus.IsZero() {
		m.byConsensus[b.key.consensus] = addHighest(m.byConsensus[b.key.consensus], b)
	}
	return b
}

// sameAs returns the known block that an announcement is about, where one of the two does not name its sortition, as nodes before release
// 3.1.0.0.4 name none: it is no other sortition of the Bitcoin block. It returns nil if both name one, or nothing is known.
func (m burnBlocks) sameAs(announced *burnBlock) *burnBlock {
	if m.byKey[announced.key] != nil {
		return nil
	}
	var same []*burnBlock
	for _, b := range m.byHash[announced.key.hash] {
		if b.height == announced.height && (b.key.consensus.IsZero() || announced.key.consensus.IsZero()) {
			same = append(same, b)
		}
	}
	return preferred(same)
}

// addHighest adds b to blocks of one height. The greater height wins.
func addHighest(blocks []*burnBlock, b *burnBlock) []*burnBlock {
	switch {
	case len(blocks) == 0 || b.height > blocks[0].height:
		return []*burnBlock{b}
	case b.height < blocks[0].height:
		return blocks
	}
	return append(blocks, b)
}

// preferred returns the followed one of several announcements, else the last; nil if there are none.
func preferred(blocks []*burnBlock) (best *burnBlock) {
	for _, b := range blocks {
		if b.canonical {
			return b
		}
		if best == nil || b.seq > best.seq {
			best = b
		}
	}
	return best
}

// parentOf returns the announcement of a block's parent, or nil if there is none.
func (m burnBlocks) parentOf(child *burnBlock) *burnBlock {
	if parent := preferred(m.byHash[child.parent]); parent != nil && parent.height == child.height-1 {
		return parent
	}
	return nil
}

// under returns the announcements that decide whether n is good: those of the sortition of its tenure and of its burn view, of
// which only the consensus hash is known. A block that was never announced counts as good: archives may lack it.
func (m burnBlocks) under(n *node) []*burnBlock {
	own := preferred(m.byConsensus[n.consensus])
	if own == nil {
		own = preferred(m.byHash[n.burnHash])
	}
	all := make([]*burnBlock, 0, 2)
	for _, b := range []*burnBlock{own, preferred(m.byConsensus[n.burnView])} {
		if b != nil {
			all = append(all, b)
		}
	}
	return all
}

// trim empties the index if it has grown too large. It must not be called within a batch.
func (m burnBlocks) trim(most int) {
	if max(len(m.byKey), len(m.queriedHashes), len(m.queriedConsensus)) > most {
		clear(m.byKey)
		clear(m.byHash)
		clear(m.byConsensus)
		clear(m.queriedHashes)
		clear(m.queriedConsensus)
	}
}
