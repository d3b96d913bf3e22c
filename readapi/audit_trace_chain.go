package readapi

import (
	"context"

	"strata/domain/hash"
)

var (
	tracedBlock = &tracedTable{
		projection: "chain", name: "block", key: "source_seq",
		values:  "height index_block_hash:hex block_hash:hex parent_index_block_hash:hex burn_block_height burn_block_hash:hex tx_count",
		sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}},
	}
	// The block came with one event; another one, of a later block or of Bitcoin, may have made it canonical.
	tracedCanonical = &tracedTable{
		projection: "chain", name: "canonical", key: "height", values: "block_seq",
		sources: []tracedSource{{column: "source_seq", pointers: wholeEvent}, {column: "block_seq", pointers: wholeEvent}},
	}
)

func (a *API) traceChain() {
	traced(a.Engine, "get-block", func(_ context.Context, _ *snapshot, _ *BlockInput, b *block) ([]lookup, error) {
		if b == nil {
			return nil, nil
		}
		return blockLookups([]block{*b}), nil
	})
	traced(a.Engine, "list-blocks", func(_ context.Context, _ *snapshot, _ *blocksInput, page *cursorPage[block]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return blockLookups(page.Results), nil
	})
}

func blockLookups(blocks []block) []lookup {
	heights, ids := make([]int64, len(blocks)), make([]hash.Hash32, len(blocks))
	for i := range blocks {
		heights[i], ids[i] = blocks[i].Height, blocks[i].IndexBlockHash
	}
	return []lookup{
		{name: "block", table: tracedBlock, where: `t.index_block_hash = ANY ($1)`, args: []any{ids}, order: `t.height DESC`},
		{name: "canonical", table: tracedCanonical, where: `t.height = ANY ($1)`, args: []any{heights}, order: `t.height DESC`},
	}
}
