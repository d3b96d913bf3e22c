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
	size      int64 // bytes of that event
	canonical bool
	// stepSaysFollowed is true if the last step about the block says that it is followed.
	stepSaysFollowed bool
}

// burnChange is a change of whether a Bitcoin block is followed, with the event that caused it.
type burnChange struct {
	block *burnBlock
	cause int64
}

// burnBlocks is an index of the Bitcoin blocks that were read or announced so far.
type burnBlocks struct {
	byHash      map[hash.Hash32][]*burnBlock
	byConsensus map[hash.Hash20]*burnBlock
	// queriedHashes and queriedConsensus hold what the table was queried for already.
	queriedHashes    map[hash.Hash32]bool
	queriedConsensus map[hash.Hash20]bool
}

func newBurnBlocks() burnBlocks {
	return burnBlocks{
		byHash:           map[hash.Hash32][]*burnBlock{},
		byConsensus:      map[hash.Hash20]*burnBlock{},
		queriedHashes:    map[hash.Hash32]bool{},
		queriedConsensus: map[hash.Hash20]bool{},
	}
}

// put adds b unless a block with its key is known, and returns the block that the index holds.
func (m burnBlocks) put(b *burnBlock) *burnBlock {
	for _, known := range m.byHash[b.key.hash] {
		if known.key == b.key {
			return known
		}
	}
	m.byHash[b.key.hash] = append(m.byHash[b.key.hash], b)
	if !b.key.consensus.IsZero() {
		m.byConsensus[b.key.consensus] = b
	}
	return b
}

func (m burnBlocks) get(key burnKey) *burnBlock {
	for _, b := range m.byHash[key.hash] {
		if b.key == key {
			return b
		}
	}
	return nil
}

// orphaned reports whether the Bitcoin block of a sortition is known and not on the fork that the node follows.
// A block that was never announced counts as good: archives may lack it.
func (m burnBlocks) orphaned(burnHash hash.Hash32, consensus hash.Hash20) bool {
	if !consensus.IsZero() {
		if b := m.byConsensus[consensus]; b != nil {
			return !b.canonical
		}
	}
	known := m.byHash[burnHash]
	for _, b := range known {
		if b.canonical {
			return false
		}
	}
	return len(known) > 0
}

// orphanedView is like orphaned, for a burn view: only the consensus hash of that sortition is known.
func (m burnBlocks) orphanedView(consensus hash.Hash20) bool {
	b := m.byConsensus[consensus]
	return b != nil && !consensus.IsZero() && !b.canonical
}

// burnCacheMax is the maximum number of Bitcoin blocks kept in memory between batches.
const burnCacheMax = 1 << 13

// trim empties the index if it has grown beyond burnCacheMax. It must not be called within a batch.
func (m burnBlocks) trim() {
	if len(m.byHash) > burnCacheMax || len(m.queriedHashes) > burnCacheMax || len(m.queriedConsensus) > burnCacheMax {
		clear(m.byHash)
		clear(m.byConsensus)
		clear(m.queriedHashes)
		clear(m.queriedConsensus)
	}
}
