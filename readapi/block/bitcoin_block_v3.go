package block

import (
	"context"
	"math"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// bitcoinBlock is a Bitcoin block that has Stacks blocks, in version 3 of the API.
type bitcoinBlock struct {
	view.BitcoinSummary
	BlockCount   int   `json:"block_count" doc:"Number of its Stacks blocks."`
	TxCount      int64 `json:"tx_count" doc:"Number of transactions in its Stacks blocks."`
	AvgBlockTime int64 `json:"avg_block_time" doc:"Mean time between its Stacks blocks in whole seconds; 0 if it has only one."`
}

func (r burnBlockRow) shapeV3() bitcoinBlock {
	return bitcoinBlock{
		BitcoinSummary: view.NewBitcoinSummary(r.BurnBlockHeight, r.BurnBlockHash, r.BurnBlockTime),
		BlockCount:     len(r.StacksBlocks), TxCount: r.TotalTxCount, AvgBlockTime: r.AvgBlockTime,
	}
}

func (a *api) registerBitcoinBlocksV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-bitcoin-blocks", Path: "/extended/v3/bitcoin-blocks", Tag: "Blocks", Summary: "Bitcoin blocks that have Stacks blocks, newest first",
		Description: "A cursor at a height without Stacks blocks opens the page at the next lower Bitcoin block that has some.",
		Statuses:    []int{http.StatusBadRequest},
	}, listBitcoinBlocks)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-bitcoin-block", Path: "/extended/v3/bitcoin-blocks/{height_or_hash}", Tag: "Blocks", Summary: "A Bitcoin block that has Stacks blocks",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, getBitcoinBlock)
}

// listBitcoinBlocks finds a page by the numbers of the Bitcoin blocks that have Stacks blocks.
func listBitcoinBlocks(ctx context.Context, s *engine.Snapshot, in *HeightPage) (*page.KeysetPage[bitcoinBlock], error) {
	list := &page.KeysetPage[bitcoinBlock]{Limit: in.Limit, Results: []bitcoinBlock{}}
	tip, ok := s.Tip("accounts")
	if !ok {
		return list, nil
	}
	b := s.Batch()
	last := engine.Query(b, page.NumberColumn, `SELECT {}, burn_blocks FROM {accounts}.block WHERE height = $1`, *tip.Height)
	first := engine.Query(b, page.NumberColumn, `
		SELECT {}, burn_blocks FROM {accounts}.block WHERE burn_block_height <= $1 ORDER BY burn_block_height DESC, height DESC LIMIT 1`,
		in.Cursor.height(math.MaxInt64))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Total, _ = last.First()
	start, _ := first.First() // 0 for a cursor below all blocks
	limit := int64(in.Limit)
	newer, older := min(start+limit, list.Total), start-limit

	b = s.Batch()
	found := engine.Query(b, burnBlockColumns, burnBlockSQL, older+1, start)
	beside := engine.Query(b, func(r *heightRange) []any { return []any{&r.lowest, &r.highest} }, `
		SELECT {}, n, b.burn_block_height
		FROM unnest($1::bigint[]) n
		CROSS JOIN LATERAL (SELECT burn_block_height FROM {accounts}.block WHERE burn_blocks = n LIMIT 1) b`, []int64{newer, older})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		list.Results = append(list.Results, row.shapeV3())
	}
	if len(list.Results) > 0 {
		list.Cursor.Current = heightText(list.Results[0].Height)
	}
	for _, n := range beside.Rows {
		switch {
		case n.lowest == older:
			list.Cursor.Next = heightText(n.highest)
		case n.lowest == newer && start < list.Total:
			list.Cursor.Previous = heightText(n.highest)
		}
	}
	return list, nil
}

func getBitcoinBlock(ctx context.Context, s *engine.Snapshot, in *param.BurnBlockInput) (*bitcoinBlock, error) {
	row, err := findBurnBlock(ctx, s, in)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, engine.NotFound("Bitcoin block not found")
	}
	shaped := row.shapeV3()
	return &shaped, nil
}
