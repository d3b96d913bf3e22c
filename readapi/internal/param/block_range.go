package param

import (
	"context"
	"strconv"

	"strata/domain/hash"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// BlockRange restricts a list to a range of blocks.
type BlockRange struct {
	FromBlock BlockReference `query:"from_block" doc:"The first block whose rows are listed: its height, block hash or index block hash."`
	ToBlock   BlockReference `query:"to_block" doc:"The last block whose rows are listed: its height, block hash or index block hash."`
}

// ListedAsOf restricts a list to the blocks of a range and up to until_block.
type ListedAsOf struct {
	BlockRange
	Unanchored bool           `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	UntilBlock BlockReference `query:"until_block" doc:"Like to_block. Cannot be combined with unanchored=true."`
}

// ListedBlock restricts a list as ListedAsOf does, or to a single block.
type ListedBlock struct {
	ListedAsOf
	Height int64 `query:"height" minimum:"1" doc:"The only block whose rows are listed. Cannot be combined with until_block."`
}

// OfAccount returns the dependencies of an account's list: the rows of the list, and the rows of chain that they refer
// to, which never change. Bounds given as heights add none, because any block that comes or goes within them and
// matters to the list touches the account.
func (r BlockRange) OfAccount(account string) engine.Dependencies {
	return r.Named(engine.On("accounts", shard.Account(account)).And("chain", shard.Account(account)))
}

// Named adds the blocks that a bound or one of the further names identifies by hash: the answer depends on whether they
// exist.
func (r BlockRange) Named(d engine.Dependencies, more ...BlockReference) engine.Dependencies {
	for _, name := range append(more, r.FromBlock, r.ToBlock) {
		if id, err := hash.Parse32(string(name)); err == nil {
			d = d.And("accounts", shard.Block(id))
		}
	}
	return d
}

// OfAccount returns the dependencies of an account's list; see BlockRange.OfAccount.
func (r ListedAsOf) OfAccount(account string) engine.Dependencies {
	return r.Named(r.BlockRange.OfAccount(account), r.UntilBlock)
}

// Heights returns the bounds as heights; nil for a bound that is not given.
func (r BlockRange) Heights(ctx context.Context, s *engine.Snapshot) (from, to *int64, err error) {
	if from, err = heightOf(ctx, s, r.FromBlock); err != nil {
		return nil, nil, err
	}
	to, err = heightOf(ctx, s, r.ToBlock)
	return from, to, err
}

// Heights returns the bounds as heights; nil for no bound. The lower of to_block and until_block counts.
func (r ListedAsOf) Heights(ctx context.Context, s *engine.Snapshot) (from, to *int64, err error) {
	if r.UntilBlock != "" && r.Unanchored {
		return nil, nil, engine.BadRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")
	}
	until, err := heightOf(ctx, s, r.UntilBlock)
	if err != nil {
		return nil, nil, err
	}
	from, to, err = r.BlockRange.Heights(ctx, s)
	return from, Lower(to, until), err
}

// Heights returns the bounds as heights; nil for no bound. A single block is both bounds.
func (r ListedBlock) Heights(ctx context.Context, s *engine.Snapshot) (from, to *int64, err error) {
	if r.Height > 0 && r.UntilBlock != "" {
		return nil, nil, engine.BadRequest("can't handle until_block and block_height in the same request")
	}
	if from, to, err = r.ListedAsOf.Heights(ctx, s); err != nil || r.Height == 0 {
		return from, to, err
	}
	return Higher(from, &r.Height), Lower(to, &r.Height), nil
}

// heightOf returns the height of the block with the given height or hash; nil for an empty name.
func heightOf(ctx context.Context, s *engine.Snapshot, name BlockReference) (*int64, error) {
	if name == "" {
		return nil, nil
	}
	id, err := hash.Parse32(string(name))
	if err != nil {
		height, err := strconv.ParseInt(string(name), 10, 64)
		if err != nil || height < 1 {
			return nil, engine.BadRequest("Unexpected integer value for block height path parameter")
		}
		return &height, nil
	}
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.ErrNoChain
	}
	b := s.Batch()
	block := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {accounts.block k}, k.height FROM {accounts}.block k WHERE k.index_block_hash = $1 OR k.block_hash = $1 LIMIT 1`, id)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	height, ok := block.First()
	if !ok {
		return nil, engine.NotFound("block not found with hash")
	}
	return &height, nil
}

// Lower returns the lower of two bounds; nil stands for no bound.
func Lower(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// Higher returns the higher of two bounds; nil stands for no bound.
func Higher(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
