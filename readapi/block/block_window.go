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

// blockWindow is a page of a list of blocks, newest first. A list is a range of heights without gaps, so a page at any
// depth is a set of heights, and the query looks up each by the key.
type blockWindow struct {
	from            view.BlockList
	lowest, highest int64 // heights of the list's oldest and newest block
	start           int64 // height of the page's first block; may be outside the list
	limit           int
}

// anyHeight is the lowest height of a list that reaches down to the root of the chain.
const anyHeight = math.MinInt64

// heights returns the heights of the page that are in the list, newest first.
func (w blockWindow) heights() []int64 {
	heights := make([]int64, 0, w.limit)
	for i := range int64(w.limit) {
		if h := w.start - i; h >= w.lowest && h <= w.highest {
			heights = append(heights, h)
		}
	}
	return heights
}

// newer returns the height of the first block of the page of newer blocks. Near the newest block that page overlaps
// with this one.
func (w blockWindow) newer() int64 { return min(w.start+int64(w.limit), w.highest) }

// older returns the height of the first block of the page of older blocks.
func (w blockWindow) older() int64 { return min(w.start-int64(w.limit), w.highest) }

// neighbour is the first block of the page before or after another page.
type neighbour struct {
	height int64
	id     hash.Hash32
}

func neighbourColumns(n *neighbour) []any { return []any{&n.height, &n.id} }

// queueBlocks adds to the batch the query for the blocks of the page.
func (w blockWindow) queueBlocks(b *engine.Batch) *engine.Result[view.BlockRow] {
	return engine.Query(b, view.BlockColumns, w.from.SQL(`WHERE c.height = ANY ($1) ORDER BY c.height DESC`), w.heights())
}

// queueNeighbours adds to the batch the query for the first blocks of the pages before and after.
func (w blockWindow) queueNeighbours(b *engine.Batch) *engine.Result[neighbour] {
	return engine.Query(b, neighbourColumns, `
		SELECT {}, c.height, b.index_block_hash
		FROM `+w.from.From+` WHERE c.height = ANY ($1)`, []int64{w.newer(), w.older()})
}

// cursors returns the cursors of the pages before and after; nil where there is none.
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

// heightOfCursor reads the height of the block that a cursor names. from says where the list is read from.
func heightOfCursor(ctx context.Context, s *engine.Snapshot, from view.BlockList, cursor param.HashParameter) (int64, error) {
	id, err := cursor.Hash()
	if err != nil {
		return 0, err
	}
	b := s.Batch()
	found := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, c.height FROM `+from.From+` WHERE b.index_block_hash = $1`, id)
	if err := b.Run(ctx); err != nil {
		return 0, err
	}
	height, ok := found.First()
	if !ok {
		return 0, page.ErrNoCursor
	}
	return height, nil
}
