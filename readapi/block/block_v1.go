package block

import (
	"context"
	"net/http"

	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type blocksV1Input struct {
	Limit  int                 `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Page size; 0 means the default."`
	Offset int64               `query:"offset" minimum:"0" default:"0" doc:"Number of blocks to skip towards older blocks, counted from the cursor or from the tip."`
	Cursor param.HashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

type blockHashInput struct {
	Hash param.HashParameter `path:"hash" doc:"A block hash or an index block hash."`
}

type blockHeightInput struct {
	Height int64 `path:"height" minimum:"0"`
}

// Dependencies are the block, and the next one, which confirms the microblocks that the block's miner streamed.
func (in *blockHeightInput) Dependencies() engine.Dependencies {
	return engine.On("chain", shard.Height(in.Height), shard.Height(in.Height+1))
}

type burnHashInput struct {
	Hash param.HashParameter `path:"burn_block_hash"`
}

type burnHeightInput struct {
	Height int64 `path:"burn_block_height" minimum:"0"`
}

func (a *api) registerBlocksV1() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-blocks-v1", Path: "/extended/v1/block", Tag: "Blocks", Summary: "Canonical blocks with the ids of their transactions, newest first",
		Description: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones. " + engine.Instead(view.BlocksInstead),
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
	}, listBlocksV1)
	operation := func(id, path, summary string) engine.Operation {
		return engine.Operation{
			ID: id, Path: path, Tag: "Blocks", Summary: summary, Description: engine.Instead(view.BlockInstead),
			Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, Deprecated: true,
		}
	}
	byHash := operation("get-block-by-hash", "/extended/v1/block/{hash}", "A block by its hash")
	byHash.Description = "If several blocks have the hash, returns the canonical one, otherwise the highest; `canonical` tells an orphaned block. " + byHash.Description
	engine.Get(a.Engine, byHash, getBlockByHash)
	engine.Get(a.Engine, operation("get-block-by-height", "/extended/v1/block/by_height/{height}", "The block at a height"), getBlockByHeight)
	const orphaned = "If all blocks of the Bitcoin block are orphaned, returns the highest of them, with `canonical` false. "
	byBurnHash := operation("get-block-by-burn-block-hash", "/extended/v1/block/by_burn_block_hash/{burn_block_hash}", "The last block of a Bitcoin block, by its hash")
	byBurnHash.Description = orphaned + byBurnHash.Description
	engine.Get(a.Engine, byBurnHash, getBlockByBurnHash)
	byBurnHeight := operation("get-block-by-burn-block-height", "/extended/v1/block/by_burn_block_height/{burn_block_height}", "The last block of a Bitcoin block, by its height")
	byBurnHeight.Description = orphaned + byBurnHeight.Description
	engine.Get(a.Engine, byBurnHeight, getBlockByBurnHeight)
}

func listBlocksV1(ctx context.Context, s *engine.Snapshot, in *blocksV1Input) (*page.CursorPage[view.BlockV1], error) {
	page := &page.CursorPage[view.BlockV1]{Limit: page.LimitOr(in.Limit, blocksLimit), Offset: in.Offset, Results: []view.BlockV1{}}
	w, ok, err := canonicalWindow(ctx, s, in.Cursor, in.Offset, page.Limit)
	if !ok || err != nil {
		return page, err
	}
	b := s.Batch()
	blocks := view.QueueBlocksV1(b, view.BlockChoice{SQL: `SELECT block_seq AS source_seq FROM {chain}.canonical WHERE height = ANY ($1::bigint[])`, Arg: w.heights()})
	neighbours, root := w.queueNeighbours(b), queueRoot(b)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	lowest, _ := root.First()
	page.Total = w.highest - lowest + 1
	page.Results = blocks.Shape()
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].IndexBlockHash
	}
	page.NextCursor, page.PrevCursor = w.cursors(neighbours)
	return page, nil
}

func getBlockByHash(ctx context.Context, s *engine.Snapshot, in *blockHashInput) (*view.BlockV1, error) {
	id, err := in.Hash.Hash()
	if err != nil {
		return nil, err
	}
	return getBlockV1(ctx, s, view.AnyBlock(id), "cannot find block by hash")
}

func getBlockByHeight(ctx context.Context, s *engine.Snapshot, in *blockHeightInput) (*view.BlockV1, error) {
	return getBlockV1(ctx, s, view.BlockChoice{SQL: view.AtHeight, Arg: in.Height}, "cannot find block by height")
}

func getBlockByBurnHash(ctx context.Context, s *engine.Snapshot, in *burnHashInput) (*view.BlockV1, error) {
	id, err := in.Hash.Hash()
	if err != nil {
		return nil, err
	}
	const missing = "cannot find block by burn block hash"
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.NotFound(missing)
	}
	return getBlockV1(ctx, s, lastOfBitcoinBlock(`burn_block_hash = $1`, `SELECT $1::bytea AS burn_block_hash`, id), missing)
}

func getBlockByBurnHeight(ctx context.Context, s *engine.Snapshot, in *burnHeightInput) (*view.BlockV1, error) {
	const missing = "cannot find block by height"
	if _, ok := s.Tip("accounts"); !ok {
		return nil, engine.NotFound(missing)
	}
	return getBlockV1(ctx, s, lastOfBitcoinBlock(`burn_block_height = $1`,
		`SELECT u.burn_block_hash FROM {chain}.burn_block u WHERE u.height = $1`, in.Height), missing)
}

// lastOfBitcoinBlock chooses the highest canonical block of a Bitcoin block, which listed selects among the blocks of
// the projection accounts; without one, the highest orphaned block of the Bitcoin blocks whose hashes elected selects.
// An orphaned block is found by the height of its Bitcoin block only if a node announced the Bitcoin block.
func lastOfBitcoinBlock(listed, elected string, arg any) view.BlockChoice {
	return view.BlockChoice{SQL: `SELECT coalesce(
			(SELECT source_seq FROM {accounts}.block WHERE ` + listed + ` ORDER BY height DESC LIMIT 1),
			(
				SELECT b.source_seq FROM (` + elected + `) u
				-- With OFFSET, the planner can't walk the index of heights instead of that of hashes.
				CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.burn_block_hash = u.burn_block_hash OFFSET 0) b
				ORDER BY b.height DESC, b.source_seq DESC LIMIT 1
			)
		) AS source_seq`, Arg: arg}
}

// getBlockV1 reads the block of a choice. missing is the error text when there is none.
func getBlockV1(ctx context.Context, s *engine.Snapshot, choice view.BlockChoice, missing string) (*view.BlockV1, error) {
	if _, ok := s.Tip("chain"); !ok {
		return nil, engine.NotFound("%s", missing)
	}
	b := s.Batch()
	result := view.QueueBlocksV1(b, choice)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	blocks := result.Shape()
	if len(blocks) == 0 {
		return nil, engine.NotFound("%s", missing)
	}
	if blocks[0].Canonical {
		s.FinalAt(blocks[0].BurnBlockHeight)
	}
	return &blocks[0], nil
}
