package chain

import (
	"cmp"
	"math"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/projections"
)

// node is what fork choice needs to know about a block.
type node struct {
	id, parent hash.Hash32
	blockHash  hash.Hash32
	burnHash   hash.Hash32
	// consensus is the sortition of the block's tenure, burnView the latest sortition that the tenure has seen. They are
	// zero if the node did not send them.
	consensus, burnView hash.Hash20
	height              int64
	burnHeight          int64
	seq                 int64 // the event with its content
	firstSeq            int64 // the event that announced it first; of two blocks, the one that came first has the smaller one
	size                int64 // bytes of event seq
	content             completeness
	attached            bool // all ancestors down to the root are known
	canonical           bool
	stored              bool // its row is in the table
}

// newNode returns the node of an announced block, not attached yet. It returns an error for numbers that no chain can
// have.
func newNode(content *projections.Block) (*node, error) {
	for _, number := range []struct {
		pointer string
		value   *uint64
	}{
		{"/block_height", &content.Height},
		{"/burn_block_height", &content.BurnBlockHeight},
		{"/burn_block_time", &content.BurnBlockTime},
		{"/block_time", content.Time},
		{"/tenure_height", content.TenureHeight},
		{"/parent_burn_block_height", content.ParentBurnBlockHeight},
		{"/parent_burn_block_timestamp", content.ParentBurnBlockTime},
		{"/pox_v1_unlock_height", content.PoxV1UnlockHeight},
		{"/pox_v2_unlock_height", content.PoxV2UnlockHeight},
		{"/pox_v3_unlock_height", content.PoxV3UnlockHeight},
		{"/pox_v4_unlock_height", content.PoxV4UnlockHeight},
		{"/cycle_number", content.CycleNumber},
	} {
		if number.value != nil && *number.value > math.MaxInt64 {
			return nil, unreadable(number.pointer, "a number below 2^63", *number.value)
		}
	}
	n := &node{
		id:         content.IndexBlockHash,
		parent:     content.ParentIndexBlockHash,
		blockHash:  content.BlockHash,
		burnHash:   content.BurnBlockHash,
		height:     int64(content.Height),
		burnHeight: int64(content.BurnBlockHeight),
		seq:        content.Seq,
		firstSeq:   content.Seq,
		size:       content.BodySize,
		content:    completenessOf(content),
	}
	if content.ConsensusHash != nil {
		n.consensus = *content.ConsensusHash
	}
	for _, tx := range content.Decoded {
		if tx != nil {
			if change, ok := tx.Payload.(*transaction.TenureChange); ok {
				n.burnView = change.BurnViewConsensusHash
			}
		}
	}
	return n, nil
}

// betterFunc reports whether a candidate makes a better tip than the current one.
type betterFunc func(candidate, tip *node) bool

// recommended chooses as nodes of Stacks 3.x do: the higher block wins; at the same height the block whose tenure was
// elected by the later sortition; within a tenure the block seen first.
func recommended(candidate, tip *node) bool {
	return cmp.Or(cmp.Compare(candidate.height, tip.height), cmp.Compare(candidate.burnHeight, tip.burnHeight)) > 0
}

// reference chooses as stacks-blockchain-api does: the higher block wins, else the one seen first.
func reference(candidate, tip *node) bool { return candidate.height > tip.height }

// cacheMax is the maximum number of nodes kept in memory between batches, and of Bitcoin blocks. A deeper reorganisation reads the
// rest from the table.
const cacheMax = 1 << 14

// nodes is an index of the blocks that this batch and recent ones have used. All others are in the table as of the last
// flush.
type nodes struct {
	byID map[hash.Hash32]*node
	// missing are ids that the table does not have.
	missing map[hash.Hash32]bool
}

func newNodes() nodes {
	return nodes{byID: map[hash.Hash32]*node{}, missing: map[hash.Hash32]bool{}}
}

func (n nodes) put(b *node) {
	n.byID[b.id] = b
	delete(n.missing, b.id)
}

// trim forgets blocks far below the tip, or all if there is none. It must not be called within a batch.
func (n nodes) trim(tip, root *node, most int) {
	clear(n.missing)
	if len(n.byID) <= most {
		return
	}
	if tip == nil {
		clear(n.byID)
		return
	}
	for id, b := range n.byID {
		if b.height < tip.height-int64(most)/4 || b.height > tip.height {
			delete(n.byID, id)
		}
	}
	// A block has one node only: a look-up must return the nodes that the state points to. The tip is there still.
	n.put(root)
}
