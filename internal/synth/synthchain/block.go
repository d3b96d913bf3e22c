package synthchain

import "strata/domain/hash"

// block is a Stacks block of the window.
type block struct {
	parent   *block // nil for the last final block
	burn     *burnBlock
	height   uint64
	tenure   uint64 // number of tenures so far; before Nakamoto the height
	position int    // in the tenure, from 1
	nakamoto bool
	time     uint64
	miner    *account
	hash     hash.Hash32
	index    hash.Hash32

	changes      []change
	operations   []*operation // what rivals could include too
	claimant     party        // who gets the reward of the tenure that begins here
	stream       []*microblock
	transactions int
	post         Post
	again        []byte // the body with arrays in another order; nil mostly

	seen  bool
	order int  // of arrival
	valid bool // while choosing the best: complete ancestry on burn blocks that are not orphaned
}

// ref is the public form.
func (b *block) ref() BlockRef {
	return BlockRef{
		Height: b.height, Hash: b.hash, IndexHash: b.index, BurnHeight: b.burn.height, BurnHash: b.burn.hash,
		Tenure: b.tenure, Transactions: b.transactions,
	}
}
