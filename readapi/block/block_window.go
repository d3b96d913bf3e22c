package block

import (
	"context"
	"math"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// blockWindow is a page of a list of blocks, newest first. A list is a range of heights without gaps, so that a page at any
// depth is a list of heights, looked up one by one.
type blockWindow struct {
	from            view.BlocksBelow
	lowest, highest int64 // of the list
	start           int64 // height of the first block of the page; it may be beyond the list
	limit           int
}

// anyHeight is the lowest of a list that begins with the chain.
const anyHeight = math.MinInt64

// heights are those of the page.
func (w blockWindow) heights() []int64 {
	heights := make([]int64, 0, w.limit)
	for i := range int64(w.limit) {
		if h := w.start - i; h >= w.lowest && h <= w.highest {
			heights = append(heights, h)
		}
	}
	return heights
}

// newer and older are the heights that the neighbours of the page begin with. Near the newest block the newer page overlaps
// with this one.
func (w blockWindow) newer() int64 { return min(w.start+int64(w.limit), w.highest) }

func (w blockWindow) older() int64 { return min(w.start-int64(w.limit), w.highest) }

// neighbour is a block that a page begins with.
type neighbour struct {
	height int64
	id     hash.Hash32
}

func neighbourColumns(n *neighbour) []any { return []any{&n.height, &n.id} }

// queueBlocks adds the query for the blocks of the page to a batch.
func (w blockWindow) queueBlocks(b *engine.Batch) *engine.Result[view.BlockRow] {
	return engine.Query(b, view.BlockColumns, view.BlockSQL+`FROM `+string(w.from)+`WHERE c.height = ANY ($1) ORDER BY c.height DESC`, w.heights())
}

// queueNeighbours adds the query for the blocks that the pages before and after begin with to a batch.
func (w blockWindow) queueNeighbours(b *engine.Batch) *engine.Result[neighbour] {
	return engine.Query(b, neighbourColumns, `
		SELECT ARRAY[]::bigint[], c.height, b.index_block_hash
		FROM `+string(w.from)+`WHERE c.height = ANY ($1)`, []int64{w.newer(), w.older()})
}

// cursors are those of the pages before and after.
func (w blockWindow) cursors(found *engine.Result[neighbour]) (newer, older *hash.Hash32) {
	for i := range found.Rows {
		n := &found.Rows[i]
		if n.height == w.newer() && w.start < w.highest && n.height >= w.lowest {
			newer = &n.id
		}
		if n.height == w.older() && n.height >= w.lowest {
			older = &n.id
		}
	}
	return newer, older
}

// heightOfCursor is the height of the block that a cursor names, in the lists that are read from somewhere.
func heightOfCursor(ctx context.Context, s *engine.Snapshot, from view.BlocksBelow, cursor param.HashParameter) (int64, error) {
	id, err := cursor.Hash()
	if err != nil {
		return 0, err
	}
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], c.height FROM `+string(from)+`WHERE b.index_block_hash = $1`, id)
	if err := b.Run(ctx); err != nil {
		return 0, err
	}
	height, ok := found.First()
	if !ok {
		return 0, page.ErrNoCursor
	}
	return height, nil
}
