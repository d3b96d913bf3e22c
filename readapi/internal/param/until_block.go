package param

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// AsOf says at which block the state of an account is asked for.
type AsOf struct {
	Unanchored bool   `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	UntilBlock string `query:"until_block" doc:"A block's height, block hash or index block hash: the state after that block."`
}

// moment is a block whose state is read.
type Moment struct {
	Height int64
	// latest says that it is the tip, and was not asked for by name.
	Latest bool
}

// DependenciesOf are those of the state of an account at a block: what the account has, and the block that is named, or what waits.
func (in AsOf) DependenciesOf(account string) engine.Dependencies {
	d := engine.On("balances", shard.Account(account))
	if id, err := hash.Parse32(in.UntilBlock); err == nil {
		return d.And("balances", shard.Block(id))
	}
	if height, err := strconv.ParseInt(in.UntilBlock, 10, 64); err == nil {
		return d.And("balances", shard.Height(height))
	}
	return d.With("mempool", shard.Account(account))
}

// moment finds the block, in the projection of balances.
//
// The reference answers 500 for a height that it has no block of; here it is found missing with the block's state
// (blockState.missing).
func (in AsOf) moment(ctx context.Context, s *engine.Snapshot) (Moment, error) {
	if in.UntilBlock != "" && in.Unanchored {
		return Moment{}, engine.BadRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")
	}
	id, err := hash.Parse32(in.UntilBlock)
	isHash := err == nil
	height, err := strconv.ParseInt(in.UntilBlock, 10, 64)
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
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], height FROM {balances}.block WHERE index_block_hash = $1 OR block_hash = $1 LIMIT 1`, id)
	if err := b.Run(ctx); err != nil {
		return Moment{}, err
	}
	height, ok = found.First()
	if !ok {
		return Moment{}, engine.NotFound("block not found with hash")
	}
	return Moment{Height: height}, nil
}
