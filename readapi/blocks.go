package readapi

import (
	"context"

	"strata/domain/hash"
	"strata/internal/shard"
	"strata/readapi/internal/answer"
)

const blocksLimit = 20

type blocksInput struct {
	Limit  int           `query:"limit" minimum:"0" maximum:"30" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64         `query:"offset" minimum:"-300" maximum:"300" default:"0" doc:"Where the page begins, counted from the cursor, or from the tip, towards older blocks."`
	Cursor hashParameter `query:"cursor" doc:"Index block hash of the first block of the page."`
}

type blockInput struct {
	Block heightOrHash `path:"height_or_hash"`
}

// dependencies of a block are the block alone, unless it is the latest.
func (in *blockInput) dependencies() dependencies {
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
	get(a, resource{
		id: "list-blocks", path: "/extended/v2/blocks", tag: "Blocks", summary: "Canonical blocks, newest first",
		about: "`next_cursor` leads to newer blocks and `prev_cursor` to older ones.", statuses: []int{400, 404},
		class: answer.Tip, of: onTip("chain"),
	}, listBlocks)
	get(a, resource{
		id: "get-block", path: "/extended/v2/blocks/{height_or_hash}", tag: "Blocks", summary: "A canonical block",
		statuses: []int{400, 404}, class: answer.Tip, brief: true,
	}, getBlock)
}

// listBlocks answers from heights alone: canonical blocks have no gaps, so a page at any depth is a list of heights,
// looked up one by one.
//
// The reference's total is the height of the tip. Ours is the number of blocks that the list has.
func listBlocks(ctx context.Context, s *snapshot, in *blocksInput) (*cursorPage[block], error) {
	limit := orDefault(in.Limit, blocksLimit)
	page := &cursorPage[block]{Limit: limit, Offset: in.Offset, Results: []block{}}
	chain, ok := s.tip("chain")
	if !ok {
		if in.Cursor != "" {
			return nil, notFound("Cursor not found")
		}
		return page, nil
	}
	tip := *chain.Height
	start := tip
	if in.Cursor != "" {
		height, err := canonicalHeight(ctx, s, in.Cursor)
		if err != nil {
			return nil, err
		}
		start = height
	}
	start -= in.Offset

	b := s.batch()
	// The page, and the blocks that its neighbours begin with. Near the tip the newer page overlaps with this one.
	newer, older := min(start+int64(limit), tip), min(start-int64(limit), tip)
	heights := make([]int64, 0, limit)
	for i := range int64(limit) {
		heights = append(heights, start-i)
	}
	blocks := query(b, blockColumns, canonicalBlocks+`WHERE c.height = ANY ($1) ORDER BY c.height DESC`, heights)
	neighbours := query(b, func(n *neighbour) []any { return []any{&n.height, &n.id} }, `
		SELECT ARRAY[]::bigint[], c.height, b.index_block_hash
		FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq
		WHERE c.height = ANY ($1)`, []int64{newer, older})
	root := query(b, func(n *int64) []any { return []any{n} }, `SELECT ARRAY[]::bigint[], min(height) FROM {chain}.canonical`)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}

	lowest, _ := root.first()
	page.Total = tip - lowest + 1
	for _, row := range blocks.rows {
		page.Results = append(page.Results, row.shape())
	}
	if len(page.Results) > 0 {
		page.Cursor = &page.Results[0].IndexBlockHash
	}
	for i := range neighbours.rows {
		n := &neighbours.rows[i]
		if n.height == newer && start < tip {
			page.NextCursor = &n.id
		}
		if n.height == older {
			page.PrevCursor = &n.id
		}
	}
	return page, nil
}

type neighbour struct {
	height int64
	id     hash.Hash32
}

// canonicalHeight is the height of the canonical block that a cursor names.
func canonicalHeight(ctx context.Context, s *snapshot, cursor hashParameter) (int64, error) {
	id, err := cursor.hash()
	if err != nil {
		return 0, err
	}
	b := s.batch()
	found := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], c.height
		FROM {chain}.block b JOIN {chain}.canonical c ON c.block_seq = b.source_seq
		WHERE b.index_block_hash = $1`, id)
	if err := b.run(ctx); err != nil {
		return 0, err
	}
	height, ok := found.first()
	if !ok {
		return 0, notFound("Cursor not found")
	}
	return height, nil
}

func getBlock(ctx context.Context, s *snapshot, in *blockInput) (*block, error) {
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
