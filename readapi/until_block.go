package readapi

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
)

// AsOf says at which block the state of an account is asked for.
type AsOf struct {
	Unanchored bool   `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	UntilBlock string `query:"until_block" doc:"A block's height, block hash or index block hash: the state after that block."`
}

// moment is a block whose state is read.
type moment struct {
	height int64
	// latest says that it is the tip, and was not asked for by name.
	latest bool
}

// DependenciesOf are those of the state of an account at a block: what the account has, and the block that is named, or what waits.
func (in AsOf) DependenciesOf(account string) dependencies {
	d := on("balances", shard.Account(account))
	if id, err := hash.Parse32(in.UntilBlock); err == nil {
		return d.and("balances", shard.Block(id))
	}
	if height, err := strconv.ParseInt(in.UntilBlock, 10, 64); err == nil {
		return d.and("balances", shard.Height(height))
	}
	return d.with("mempool", shard.Account(account))
}

// moment finds the block, in the projection of balances.
//
// The reference answers 500 for a height that it has no block of; here it is found missing with the block's state
// (blockState.missing).
func (in AsOf) moment(ctx context.Context, s *snapshot) (moment, error) {
	if in.UntilBlock != "" && in.Unanchored {
		return moment{}, badRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")
	}
	id, err := hash.Parse32(in.UntilBlock)
	isHash := err == nil
	height, err := strconv.ParseInt(in.UntilBlock, 10, 64)
	if in.UntilBlock != "" && !isHash && (err != nil || height < 1) {
		return moment{}, badRequest("Unexpected integer value for block height path parameter")
	}
	balances, ok := s.tip("balances")
	switch {
	case !ok:
		return moment{}, errNoChain
	case in.UntilBlock == "":
		return moment{height: *balances.Height, latest: true}, nil
	case !isHash:
		return moment{height: height}, nil
	}
	b := s.batch()
	found := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], height FROM {balances}.block WHERE index_block_hash = $1 OR block_hash = $1 LIMIT 1`, id)
	if err := b.run(ctx); err != nil {
		return moment{}, err
	}
	height, ok = found.first()
	if !ok {
		return moment{}, notFound("block not found with hash")
	}
	return moment{height: height}, nil
}
