package transaction

import (
	"context"
	"net/http"

	"strata/domain/shard"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// blockTransactionsLimit is the default number of transactions on a page of a block's transactions.
const blockTransactionsLimit = 20

type transactionsByHashInput struct {
	Block  param.HashParameter `path:"block_hash" doc:"A block hash or an index block hash."`
	Limit  int                 `query:"limit" minimum:"0" maximum:"200" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64               `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	param.ArgumentsInput
}

type transactionsByHeightInput struct {
	Height int64 `path:"height" minimum:"0"`
	page.PageInput
	param.ArgumentsInput
}

// Dependencies returns the block at the height.
func (in *transactionsByHeightInput) Dependencies() engine.Dependencies {
	return engine.On("chain", shard.Height(in.Height))
}

type blockTransactionsInput struct {
	param.BlockInput
	page.PageInput
}

func (a *api) registerBlockTransactions() {
	byHash := engine.Operation{
		ID: "list-transactions-by-block-hash", Path: "/extended/v1/tx/block/{block_hash}", Tag: "Transactions", Summary: "Transactions of a block, last first",
		Description: "An orphaned block is listed too, and its transactions are marked as not canonical. " + engine.Instead("/extended/v3/blocks/{height_or_hash}/transactions"),
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
		Deprecated:  true,
	}
	engine.Get(a.Engine, byHash, a.listTransactionsByHash)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-transactions-by-block-height", Path: "/extended/v1/tx/block_height/{height}", Tag: "Transactions", Summary: "Transactions of the block at a height, last first",
		Description: engine.Instead("/extended/v3/blocks/{height_or_hash}/transactions"), Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		Deprecated: true,
	}, a.listTransactionsByHeight)
	engine.Get(a.Engine, engine.Operation{
		ID: "list-block-transactions", Path: "/extended/v2/blocks/{height_or_hash}/transactions", Tag: "Transactions", Summary: "Transactions of a block, first to last",
		Description: engine.Instead("/extended/v3/blocks/{height_or_hash}/transactions"), Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		Deprecated: true,
	}, a.listBlockTransactions)
}

// chosenBlock is a block whose transactions are listed.
type chosenBlock struct {
	height, burnHeight int64
	txCount            int32
	canonical          bool
}

// queueChosenBlock adds the query for the chosen block to a batch.
func queueChosenBlock(b *engine.Batch, choice view.BlockChoice) *engine.Result[chosenBlock] {
	return engine.Query(b, func(c *chosenBlock) []any { return []any{&c.height, &c.burnHeight, &c.txCount, &c.canonical} }, `
		SELECT {chain.block b, chain.canonical c}, b.height, b.burn_block_height, b.tx_count, c.height IS NOT NULL
		FROM (`+choice.SQL+`) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq
		LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq`, choice.Arg)
}

// listOfBlock appends a page of a block's transactions to the list, and returns the block; nil when there is none.
// Transactions are numbered in the order of execution, which is the order of positions in the chain, so a page is a
// range of numbers.
//
// The reference reports a total of 0 on an empty page, or answers that there is no such block. Here the total is the
// number of the block's transactions on every page.
func (a *api) listOfBlock(ctx context.Context, s *engine.Snapshot, choice view.BlockChoice, list *page.OffsetPage[view.TransactionBody], lastFirst bool, how view.Rendering) (*chosenBlock, error) {
	first, order := `$2::bigint`, ``
	if lastFirst {
		first, order = `b.tx_count - $2::bigint - $3::bigint`, ` DESC`
	}
	b := s.Batch()
	chosen := queueChosenBlock(b, choice)
	found := engine.Query(b, view.TransactionColumns, `
		SELECT `+view.TransactionSQL+`
		FROM (`+choice.SQL+`) chosen
		JOIN {chain}.transaction t ON t.source_seq = chosen.source_seq`+view.TransactionBlocksSQL+`
		WHERE t.execution_index >= `+first+` AND t.execution_index < `+first+` + $3::bigint
		ORDER BY t.execution_index`+order, choice.Arg, min(list.Offset, page.OffsetMax), int64(list.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	block, ok := chosen.First()
	if !ok {
		return nil, nil
	}
	rows := view.RowsOf(found)
	var err error
	if how.Interfaces, err = view.Complete(ctx, s, rows, false, nil); err != nil {
		return nil, err
	}
	list.Total = int64(block.txCount)
	for _, r := range rows {
		list.Results = append(list.Results, view.RenderTransaction(r, how))
	}
	return &block, nil
}

func newTransactionPage(limit int, offset int64) *page.OffsetPage[view.TransactionBody] {
	return &page.OffsetPage[view.TransactionBody]{Limit: page.LimitOr(limit, blockTransactionsLimit), Offset: offset, Results: []view.TransactionBody{}}
}

func (a *api) listTransactionsByHash(ctx context.Context, s *engine.Snapshot, in *transactionsByHashInput) (*page.OffsetPage[view.TransactionBody], error) {
	id, err := in.Block.Hash()
	if err != nil {
		return nil, err
	}
	missing := engine.NotFound("no block found by hash")
	if _, ok := s.Tip("chain"); !ok {
		return nil, missing
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, view.AnyBlock(id), page, true, view.Rendering{WithoutArguments: in.ExcludeFunctionArgs})
	switch {
	case err != nil:
		return nil, err
	case block == nil:
		return nil, missing
	case block.canonical:
		s.FinalAt(block.burnHeight)
	}
	return page, nil
}

func (a *api) listTransactionsByHeight(ctx context.Context, s *engine.Snapshot, in *transactionsByHeightInput) (*page.OffsetPage[view.TransactionBody], error) {
	missing := engine.NotFound("no block found at height %d", in.Height)
	if _, ok := s.Tip("chain"); !ok {
		return nil, missing
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, view.BlockChoice{SQL: view.AtHeight, Arg: in.Height}, page, true, view.Rendering{WithoutArguments: in.ExcludeFunctionArgs})
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, missing
	}
	s.FinalAt(block.burnHeight)
	return page, nil
}

func (a *api) listBlockTransactions(ctx context.Context, s *engine.Snapshot, in *blockTransactionsInput) (*page.OffsetPage[view.TransactionBody], error) {
	choice, ok := view.CanonicalBlock(s, in.Block)
	if !ok {
		return nil, engine.NotFound("Block not found")
	}
	page := newTransactionPage(in.Limit, in.Offset)
	block, err := a.listOfBlock(ctx, s, choice, page, false, view.Rendering{})
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, engine.NotFound("Block not found")
	}
	if in.Block != "latest" {
		s.FinalAt(block.burnHeight)
	}
	return page, nil
}
