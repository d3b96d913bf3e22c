package readapi

import (
	"context"

	"strata/domain/shard"
	"strata/readapi/internal/answer"
)

const blocksLimit = 20

type blocksInput struct {
	Limit  int           `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"-300" maximum:"300" default:"0" doc:"Where the page begins, counted from the cursor, or from the tip, towards older blocks."`
	Cursor hashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

type BlockInput struct {
	Block heightOrHash `path:"height_or_hash"`
}

// dependencies of a block are the block alone, unless it is the latest.
func (in *BlockInput) Dependencies() dependencies {
	switch latest, height, id := in.Block.parse(); {
	case latest:
		return onTip("chain")
	case height != nil:
		return on("chain", shard.Height(*height))
	case id != nil:
		return on("chain", shard.Block(*id))
	}
	return dependencies{}
}

func (a *API) registerBlocks() {
	get(a.Engine, resource{
		id: "list-blocks", path: "/extended/v2/blocks", tag: "Blocks", summary: "Canonical blocks, newest first",
		about: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.", statuses: []int{400, 404},
		class: answer.Tip, of: onTip("chain"),
	}, listBlocks)
	a.registerBlocksV1()
	a.registerBlockTimes()
	a.registerSignerSignatures()
	a.registerTenureBlocks()
	a.registerBurnBlocks()
	a.registerNetworkTimes()
	a.registerMicroblocks()
	get(a.Engine, resource{
		id: "get-block", path: "/extended/v2/blocks/{height_or_hash}", tag: "Blocks", summary: "A canonical block",
		statuses: []int{400, 404}, class: answer.Tip, brief: true,
	}, getBlock)
}

// listBlocks answers from heights alone. The reference's total is the height of the tip. Ours is the number of blocks that the
// list has.
func listBlocks(ctx context.Context, s *snapshot, in *blocksInput) (*cursorPage[block], error) {
	page := &cursorPage[block]{Limit: orDefault(in.Limit, blocksLimit), Offset: in.Offset, Results: []block{}}
	w, ok, err := canonicalWindow(ctx, s, in.Cursor, in.Offset, page.Limit)
	if !ok || err != nil {
		return page, err
	}
	b := s.batch()
	blocks, neighbours, root := w.queueBlocks(b), w.queueNeighbours(b), queueRoot(b)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	lowest, _ := root.first()
	page.Total = w.highest - lowest + 1
	showBlocks(page, blocks, w, neighbours)
	return page, nil
}

// canonicalWindow is the page of all canonical blocks that begins offset blocks below a cursor, or the tip. ok is false when
// there is no block.
func canonicalWindow(ctx context.Context, s *snapshot, cursor hashParameter, offset int64, limit int) (w blockWindow, ok bool, err error) {
	chain, ok := s.tip("chain")
	if !ok {
		if cursor != "" {
			err = errNoCursor
		}
		return w, false, err
	}
	w = blockWindow{from: ofChain, lowest: anyHeight, highest: *chain.Height, start: *chain.Height, limit: limit}
	if cursor != "" {
		if w.start, err = heightOfCursor(ctx, s, ofChain, cursor); err != nil {
			return w, false, err
		}
	}
	w.start -= min(offset, offsetMost)
	return w, true, nil
}

// queueRoot adds the query for the height of the first block to a batch.
func queueRoot(b *batch) *result[int64] {
	return query(b, func(n *int64) []any { return []any{n} }, `SELECT ARRAY[]::bigint[], min(height) FROM {chain}.canonical`)
}

// showBlocks puts what was found into a page.
func showBlocks(page *cursorPage[block], blocks *result[blockRow], w blockWindow, neighbours *result[neighbour]) {
	for _, row := range blocks.rows {
		page.Results = append(page.Results, row.shape())
	}
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].IndexBlockHash
	}
	page.NextCursor, page.PrevCursor = w.cursors(neighbours)
}

func getBlock(ctx context.Context, s *snapshot, in *BlockInput) (*block, error) {
	latest, height, id := in.Block.parse()
	chain, ok := s.tip("chain")
	if !ok {
		return nil, notFound("Block not found")
	}
	b := s.batch()
	var found *result[blockRow]
	switch {
	case latest:
		found = query(b, blockColumns, canonicalBlocks+`WHERE c.height = $1`, *chain.Height)
	case height != nil:
		found = query(b, blockColumns, canonicalBlocks+`WHERE c.height = $1`, *height)
	case id != nil:
		found = query(b, blockColumns, canonicalBlocks+`WHERE b.index_block_hash = $1 OR b.block_hash = $1 LIMIT 1`, *id)
	default:
		return nil, notFound("Block not found")
	}
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	row, ok := found.first()
	if !ok {
		return nil, notFound("Block not found")
	}
	shaped := row.shape()
	if !latest {
		s.settles(shaped.BurnBlockHeight)
	}
	return &shaped, nil
}
