package chain

import (
	"strata/domain/hash"
)

// burnKey names an announcement of a Bitcoin block: the same block can be announced again with another sortition.
// consensus is zero where the node did not say (before release 3.1.0.0.4).
type burnKey struct {
	hash      hash.Hash32
	consensus hash.Hash20
}

// burnBlock is what fork choice needs to know about a Bitcoin block.
type burnBlock struct {
	key       burnKey
	parent    hash.Hash32 // zero where the node did not say (before release 3.1.0.0.9)
	height    int64
	seq       int64 // its first announcement
	size      int64 // bytes of that event
	canonical bool
	// told says whether the steps say that it is followed.
	told bool
}

// burnChange is an event that changed whether a Bitcoin block is followed.
type burnChange struct {
	block *burnBlock
	cause int64
}

// burnBlocks are the Bitcoin blocks looked up so far, by hash.
type burnBlocks struct {
	byHash      map[hash.Hash32][]*burnBlock
	byConsensus map[hash.Hash20]*burnBlock
	// looked are the hashes and consensus hashes that the table was asked for.
	lookedHash      map[hash.Hash32]bool
	lookedConsensus map[hash.Hash20]bool
}

func newBurnBlocks() burnBlocks {
	return burnBlocks{
		byHash:          map[hash.Hash32][]*burnBlock{},
		byConsensus:     map[hash.Hash20]*burnBlock{},
		lookedHash:      map[hash.Hash32]bool{},
		lookedConsensus: map[hash.Hash20]bool{},
	}
}

// put adds b unless its key is known, and returns the one that is kept.
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

// orphaned says whether the Bitcoin block behind a sortition is known and not on the fork that the node follows.
// What was never announced counts as good: archives may lack it.
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

// orphanedView is orphaned for the latest sortition that a tenure has seen, of which only the consensus hash is
// known.
func (m burnBlocks) orphanedView(consensus hash.Hash20) bool {
	b := m.byConsensus[consensus]
	return b != nil && !consensus.IsZero() && !b.canonical
}

// burnCacheMax bounds the Bitcoin blocks kept between batches.
const burnCacheMax = 1 << 13

// trim forgets everything when it has grown large. It must not be called within a batch.
func (m burnBlocks) trim() {
	if len(m.byHash) > burnCacheMax || len(m.lookedHash) > burnCacheMax || len(m.lookedConsensus) > burnCacheMax {
		clear(m.byHash)
		clear(m.byConsensus)
		clear(m.lookedHash)
		clear(m.lookedConsensus)
	}
}
