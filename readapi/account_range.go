package readapi

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
)

// BlockRange bounds a list by blocks.
type BlockRange struct {
	FromBlock string `query:"from_block" doc:"The first block whose rows are listed: its height, block hash or index block hash."`
	ToBlock   string `query:"to_block" doc:"The last block whose rows are listed, likewise."`
}

// ListedAsOf says up to which block a list goes.
type ListedAsOf struct {
	BlockRange
	Unanchored bool   `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	UntilBlock string `query:"until_block" doc:"As to_block; not together with unanchored=true."`
}

// ListedBlock is ListedAsOf, or the one block whose rows are listed.
type ListedBlock struct {
	ListedAsOf
	Height int64 `query:"height" minimum:"1" doc:"The one block whose rows are listed; not together with until_block."`
}

// ofAccount are the dependencies of a list of an account: its rows, and of chain what they point to, which never changes.
// Blocks that bound it by their heights are none: what comes and goes with them touches the account.
func (r BlockRange) ofAccount(account string) dependencies {
	return r.named(on("accounts", shard.Account(account)).and("chain", shard.Account(account)))
}

// named adds the blocks that are named by a hash: whether there are such.
func (r BlockRange) named(d dependencies, more ...string) dependencies {
	for _, name := range append(more, r.FromBlock, r.ToBlock) {
		if id, err := hash.Parse32(name); err == nil {
			d = d.and("accounts", shard.Block(id))
		}
	}
	return d
}

func (r ListedAsOf) ofAccount(account string) dependencies {
	return r.named(r.BlockRange.ofAccount(account), r.UntilBlock)
}

// heights are the bounds as heights; nil for none.
func (r BlockRange) heights(ctx context.Context, s *snapshot) (from, to *int64, err error) {
	if from, err = heightOf(ctx, s, r.FromBlock); err != nil {
		return nil, nil, err
	}
	to, err = heightOf(ctx, s, r.ToBlock)
	return from, to, err
}

func (r ListedAsOf) heights(ctx context.Context, s *snapshot) (from, to *int64, err error) {
	if r.UntilBlock != "" && r.Unanchored {
		return nil, nil, badRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")
	}
	until, err := heightOf(ctx, s, r.UntilBlock)
	if err != nil {
		return nil, nil, err
	}
	from, to, err = r.BlockRange.heights(ctx, s)
	return from, lower(to, until), err
}

func (r ListedBlock) heights(ctx context.Context, s *snapshot) (from, to *int64, err error) {
	if r.Height > 0 && r.UntilBlock != "" {
		return nil, nil, badRequest("can't handle until_block and block_height in the same request")
	}
	if from, to, err = r.ListedAsOf.heights(ctx, s); err != nil || r.Height == 0 {
		return from, to, err
	}
	return higher(from, &r.Height), lower(to, &r.Height), nil
}

// heightOf is the height of the block that is named; nil when none is.
func heightOf(ctx context.Context, s *snapshot, name string) (*int64, error) {
	if name == "" {
		return nil, nil
	}
	id, err := hash.Parse32(name)
	if err != nil {
		height, err := strconv.ParseInt(name, 10, 64)
		if err != nil || height < 1 {
			return nil, badRequest("Unexpected integer value for block height path parameter")
		}
		return &height, nil
	}
	if _, ok := s.tip("accounts"); !ok {
		return nil, errNoChain
	}
	b := s.batch()
	found := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[k.source_seq], k.height FROM {accounts}.block k WHERE k.index_block_hash = $1 OR k.block_hash = $1 LIMIT 1`, id)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	height, ok := found.first()
	if !ok {
		return nil, notFound("block not found with hash")
	}
	return &height, nil
}

// lower is the lower of two bounds, of which there may be none.
func lower(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// higher is the higher of two bounds, of which there may be none.
func higher(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
