package param

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// AsOf holds the parameters for the block at which the state of an account is read.
type AsOf struct {
	Unanchored bool           `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	UntilBlock BlockReference `query:"until_block" doc:"A block's height, block hash or index block hash: the state after that block."`
}

// Moment is the block at which state is read.
type Moment struct {
	Height int64
	// Latest is set when the block is the tip because the request names none.
	Latest bool
}

// DependenciesOf returns the dependencies of an account's state at the block: the account's balances, and either the
// block that the request names or, at the tip, the account's transactions in the mempool.
func (in AsOf) DependenciesOf(account string) engine.Dependencies {
	d := engine.On("balances", shard.Account(account))
	if id, err := hash.Parse32(string(in.UntilBlock)); err == nil {
		return d.And("balances", shard.Block(id))
	}
	if height, err := strconv.ParseInt(string(in.UntilBlock), 10, 64); err == nil {
		return d.And("balances", shard.Height(height))
	}
	return d.With("mempool", shard.Account(account))
}

// moment finds the block in the projection balances.
//
// The reference answers 500 for a height at which it has no block. Here moment accepts any height, and reading the
// state at a height without a block fails with 404.
func (in AsOf) moment(ctx context.Context, s *engine.Snapshot) (Moment, error) {
	if in.UntilBlock != "" && in.Unanchored {
		return Moment{}, engine.BadRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")
	}
	id, err := hash.Parse32(string(in.UntilBlock))
	isHash := err == nil
	height, err := strconv.ParseInt(string(in.UntilBlock), 10, 64)
	if in.UntilBlock != "" && !isHash && (err != nil || height < 1) {
		return Moment{}, engine.BadRequest("Unexpected integer value for block height path parameter")
	}
	balances, ok := s.Tip("balances")
	switch {
	case !ok:
		return Moment{}, engine.ErrNoChain
	case in.UntilBlock == "":
		return Moment{Height: *balances.Height, Latest: true}, nil
	case !isHash:
		return Moment{Height: height}, nil
	}
	b := s.Batch()
	block := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, height FROM {balances}.block WHERE index_block_hash = $1 OR block_hash = $1 LIMIT 1`, id)
	if err := b.Run(ctx); err != nil {
		return Moment{}, err
	}
	height, ok = block.First()
	if !ok {
		return Moment{}, engine.NotFound("block not found with hash")
	}
	return Moment{Height: height}, nil
}
