package block

import (
	"context"
	"net/http"
	"strconv"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// HeightPage holds the page parameters of a list of blocks in version 3 of the API.
type HeightPage struct {
	Limit  int          `query:"limit" minimum:"1" maximum:"30" default:"20" doc:"Rows of a page."`
	Cursor heightCursor `query:"cursor" pattern:"^[0-9]{1,18}$" doc:"Height of the first block of the page."`
}

// heightCursor is the height of the first block of a page; empty for the newest.
type heightCursor string

// height returns the height, or highest without a cursor or for one beyond.
func (c heightCursor) height(highest int64) int64 {
	if n, err := strconv.ParseInt(string(c), 10, 64); err == nil { // the pattern has been checked
		return min(n, highest)
	}
	return highest
}

func heightText(height int64) *string {
	text := strconv.FormatInt(height, 10)
	return &text
}

type bitcoinBlockBlocksInput struct {
	param.BurnBlockInput
	HeightPage
}

// blockV3 is a block in version 3 of the API.
type blockV3 struct {
	view.BlockSummary
	ParentBlock   parentOfBlock `json:"parent_block"`
	MinerTxID     hash.Hash32   `json:"miner_tx_id" doc:"The Bitcoin transaction of the miner's commitment."`
	ExecutionCost blockCost     `json:"execution_cost" doc:"Of all its transactions."`
}

type parentOfBlock struct {
	Hash      hash.Hash32 `json:"hash"`
	IndexHash hash.Hash32 `json:"index_hash"`
}

type blockCost struct {
	ReadCount   int64 `json:"read_count"`
	ReadLength  int64 `json:"read_length"`
	Runtime     int64 `json:"runtime"`
	WriteCount  int64 `json:"write_count"`
	WriteLength int64 `json:"write_length"`
}

func (a *api) registerBlocksV3() {
	statuses := []int{http.StatusBadRequest, http.StatusNotFound}
	engine.Get(a.Engine, engine.Operation{
		ID: "list-blocks-v3", Path: "/extended/v3/blocks", Tag: "Blocks", Summary: "Canonical blocks, newest first",
		Statuses: []int{http.StatusBadRequest},
	}, listBlocksV3)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-block-v3", Path: "/extended/v3/blocks/{height_or_hash}", Tag: "Blocks", Summary: "A canonical block",
		Statuses: statuses, PointRead: true,
	}, getBlockV3)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-bitcoin-block-blocks", Path: "/extended/v3/bitcoin-blocks/{height_or_hash}/blocks", Tag: "Blocks", Summary: "Stacks blocks of a Bitcoin block, newest first",
		Statuses: statuses,
	}, listBitcoinBlockBlocks)
}

// listBlocksV3 finds a page by heights alone.
func listBlocksV3(ctx context.Context, s *engine.Snapshot, in *HeightPage) (*page.KeysetPage[view.BlockSummary], error) {
	list := &page.KeysetPage[view.BlockSummary]{Limit: in.Limit, Results: []view.BlockSummary{}}
	chain, ok := s.Tip("chain")
	if !ok {
		return list, nil
	}
	w := blockWindow{from: view.OfChain, lowest: anyHeight, highest: *chain.Height, start: in.Cursor.height(*chain.Height), limit: in.Limit}
	b := s.Batch()
	blocks, root := w.queueBlocks(b), queueRoot(b)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	w.lowest, _ = root.First()
	list.Total = w.highest - w.lowest + 1
	w.fill(list, blocks)
	return list, nil
}

// fill puts the blocks of the window and the cursors around it into a page.
func (w blockWindow) fill(list *page.KeysetPage[view.BlockSummary], blocks *engine.Result[view.BlockRow]) {
	if w.start < w.highest {
		list.Cursor.Previous = heightText(max(w.newer(), w.lowest))
	}
	if older := w.start - int64(w.limit); older >= w.lowest {
		list.Cursor.Next = heightText(older)
	}
	if len(blocks.Rows) == 0 {
		return
	}
	list.Cursor.Current = heightText(w.start)
	for _, row := range blocks.Rows {
		list.Results = append(list.Results, view.SummarizeBlock(row.Shape()))
	}
}

func getBlockV3(ctx context.Context, s *engine.Snapshot, in *param.BlockInput) (*blockV3, error) {
	b, err := getBlock(ctx, s, in)
	if err != nil {
		return nil, err
	}
	return &blockV3{
		BlockSummary: view.SummarizeBlock(*b), ParentBlock: parentOfBlock{b.ParentBlockHash, b.ParentIndexBlockHash}, MinerTxID: b.MinerTxID,
		ExecutionCost: blockCost{b.CostReadCount, b.CostReadLength, b.CostRuntime, b.CostWriteCount, b.CostWriteLength},
	}, nil
}

// listBitcoinBlockBlocks lists the Stacks blocks of a Bitcoin block, whose heights have no gap.
func listBitcoinBlockBlocks(ctx context.Context, s *engine.Snapshot, in *bitcoinBlockBlocksInput) (*page.KeysetPage[view.BlockSummary], error) {
	list := &page.KeysetPage[view.BlockSummary]{Limit: in.Limit, Results: []view.BlockSummary{}}
	missing := engine.NotFound("Bitcoin block not found")
	condition, arg, ok := burnCondition(s, in.Block)
	if !ok || !engine.Ready(s, "chain") {
		return nil, missing
	}
	b := s.Batch()
	bounds := engine.Query(b, func(r *heightRange) []any { return []any{&r.lowest, &r.highest} }, `
		SELECT {}, least.height, most.height
		FROM (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height LIMIT 1) least
		CROSS JOIN (SELECT height FROM {accounts}.block WHERE `+condition+` ORDER BY height DESC LIMIT 1) most`, arg)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	r, ok := bounds.First()
	if !ok {
		return nil, missing
	}
	list.Total = r.highest - r.lowest + 1
	w := blockWindow{from: view.OfAccounts, lowest: r.lowest, highest: r.highest, start: in.Cursor.height(r.highest), limit: in.Limit}
	b = s.Batch()
	blocks := w.queueBlocks(b)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	w.fill(list, blocks)
	return list, nil
}

// heightRange is a range of heights.
type heightRange struct{ lowest, highest int64 }
