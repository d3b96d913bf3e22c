package block

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

const blocksLimit = 20

type blocksInput struct {
	Limit  int                 `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Page size; 0 means the default."`
	Offset int64               `query:"offset" minimum:"-300" maximum:"300" default:"0" doc:"Number of blocks to skip towards older blocks, counted from the cursor or from the tip. A negative number goes towards newer blocks."`
	Cursor param.HashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

func (a *api) registerBlocks() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-blocks", Path: "/extended/v2/blocks", Tag: "Blocks", Summary: "Canonical blocks, newest first",
		Description: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.", Statuses: []int{400, 404},
	}, listBlocks)
	a.registerBlocksV1()
	a.registerBlockTimes()
	a.registerSignerSignatures()
	a.registerTenureBlocks()
	a.registerBurnBlocks()
	a.registerBlocksV3()
	a.registerBitcoinBlocksV3()
	a.registerNetworkTimes()
	a.registerMicroblocks()
	engine.Get(a.Engine, engine.Operation{
		ID: "get-block", Path: "/extended/v2/blocks/{height_or_hash}", Tag: "Blocks", Summary: "A canonical block",
		Statuses: []int{400, 404}, PointRead: true,
	}, getBlock)
}

// listBlocks finds a page by heights alone. Its total is the number of blocks in the list; the reference's is the
// height of the tip.
func listBlocks(ctx context.Context, s *engine.Snapshot, in *blocksInput) (*page.CursorPage[view.Block], error) {
	page := &page.CursorPage[view.Block]{Limit: page.LimitOr(in.Limit, blocksLimit), Offset: in.Offset, Results: []view.Block{}}
	w, ok, err := canonicalWindow(ctx, s, in.Cursor, in.Offset, page.Limit)
	if !ok || err != nil {
		return page, err
	}
	b := s.Batch()
	blocks, neighbours, root := w.queueBlocks(b), w.queueNeighbours(b), queueRoot(b)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	lowest, _ := root.First()
	page.Total = w.highest - lowest + 1
	fillPage(page, blocks, w, neighbours)
	return page, nil
}

// canonicalWindow returns the page of the canonical blocks that begins offset blocks below the cursor's block, or below
// the tip without a cursor. ok is false when the chain has no block.
func canonicalWindow(ctx context.Context, s *engine.Snapshot, cursor param.HashParameter, offset int64, limit int) (w blockWindow, ok bool, err error) {
	chain, ok := s.Tip("chain")
	if !ok {
		if cursor != "" {
			err = page.ErrNoCursor
		}
		return w, false, err
	}
	w = blockWindow{from: view.OfChain, lowest: anyHeight, highest: *chain.Height, start: *chain.Height, limit: limit}
	if cursor != "" {
		if w.start, err = heightOfCursor(ctx, s, view.OfChain, cursor); err != nil {
			return w, false, err
		}
	}
	w.start -= min(offset, page.OffsetMax)
	return w, true, nil
}

// queueRoot adds to the batch the query for the height of the lowest block.
func queueRoot(b *engine.Batch) *engine.Result[int64] {
	return engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, min(height) FROM {chain}.canonical`)
}

// fillPage puts the blocks of a window and the cursors of its neighbours into a page.
func fillPage(page *page.CursorPage[view.Block], blocks *engine.Result[view.BlockRow], w blockWindow, neighbours *engine.Result[neighbour]) {
	for _, row := range blocks.Rows {
		page.Results = append(page.Results, row.Shape())
	}
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].IndexBlockHash
	}
	page.NextCursor, page.PrevCursor = w.cursors(neighbours)
}

func getBlock(ctx context.Context, s *engine.Snapshot, in *param.BlockInput) (*view.Block, error) {
	latest, height, id := in.Block.Parse()
	chain, ok := s.Tip("chain")
	if !ok {
		return nil, engine.NotFound("Block not found")
	}
	b := s.Batch()
	var found *engine.Result[view.BlockRow]
	switch {
	case latest:
		found = engine.Query(b, view.BlockColumns, view.OfChain.SQL(`WHERE c.height = $1`), *chain.Height)
	case height != nil:
		found = engine.Query(b, view.BlockColumns, view.OfChain.SQL(`WHERE c.height = $1`), *height)
	case id != nil:
		found = engine.Query(b, view.BlockColumns, view.OfChain.SQL(`WHERE b.index_block_hash = $1 OR b.block_hash = $1 LIMIT 1`), *id)
	default:
		return nil, engine.NotFound("Block not found")
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, engine.NotFound("Block not found")
	}
	shaped := row.Shape()
	if !latest {
		s.FinalAt(shaped.BurnBlockHeight)
	}
	return &shaped, nil
}
