package synthchain

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/undo"
)

// block is a Stacks block that is not yet final, or the last final one.
type block struct {
	parent   *block // nil for the last final block
	burn     *burnBlock
	height   uint64
	tenure   uint64 // number of tenures up to this block; before Nakamoto the height
	position int    // in the tenure, counted from 1
	nakamoto bool
	time     uint64
	miner    *account.Account
	hash     hash.Hash32
	index    hash.Hash32

	changes      []undo.Change
	operations   []*vm.Operation // those that a rival could include, too
	claimant     ledger.Party    // receives the reward of the tenure that starts here
	stream       []*microblock
	transactions int
	attached     []vm.Attached // by the block's own transactions; posted after it
	post         Post
	reordered    []byte // the body with arrays in another order; usually nil

	seen  bool // whether the post was handed out
	order int  // of arrival at the caller
	valid bool // set by bestWhere: all ancestors were handed out, on canonical burn blocks
}

// ref returns the public form of the block.
func (b *block) ref() BlockRef {
	return BlockRef{
		Height: b.height, Hash: b.hash, IndexHash: b.index, BurnHeight: b.burn.height, BurnHash: b.burn.hash,
		Tenure: b.tenure, Transactions: b.transactions,
	}
}
