package transaction

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type blockTransactionsV3Input struct {
	param.BlockInput
	Limit  int                 `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor page.PositionCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+$" doc:"Where the page begins: height, microblock sequence (2147483647 for none) and index in the block's list of transactions, separated by colons. H:0:0 is the end of block H."`
}

func (a *api) registerBlockTransactionsV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-block-transactions-v3", Path: "/extended/v3/blocks/{height_or_hash}/transactions", Tag: "Transactions", Summary: "Transactions of a block, last first",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.listBlockTransactionsV3)
}

// pageStartSQL returns the FROM item began: the chosen block, with the number of its transactions that come after the
// position where the page begins, which the page skips. LIMIT 1 keeps Postgres from counting them again for each
// transaction.
func pageStartSQL(choice view.BlockChoice) string {
	return `(
		SELECT b.source_seq, b.tx_count, (
			SELECT count(*) FROM {chain}.transaction p
			WHERE p.source_seq = b.source_seq AND (b.height, coalesce(p.microblock_sequence, 2147483647), p.tx_index) > ($2::bigint, $3::bigint, $4::bigint)
		) AS passed
		FROM (` + choice.SQL + `) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq LIMIT 1
	) began`
}

// executedTransaction is the position of a transaction in its block, and its place in the order of execution.
type executedTransaction struct {
	sequence, index, execution int32
}

func (a *api) listBlockTransactionsV3(ctx context.Context, s *engine.Snapshot, in *blockTransactionsV3Input) (*page.KeysetPage[view.TransactionSummary], error) {
	if err := in.Cursor.Check(); err != nil {
		return nil, err
	}
	choice, ok := view.CanonicalBlock(s, in.Block)
	if !ok {
		return nil, engine.NotFound("Block not found")
	}
	height, sequence, index := in.Cursor.Position()
	args := []any{choice.Arg, height, sequence, index, int64(in.Limit)}
	b := s.Batch()
	chosen := queueChosenBlock(b, choice)
	found := engine.Query(b, view.TransactionColumns, `
		SELECT `+view.TransactionSQL+`
		FROM `+pageStartSQL(choice)+`
		JOIN {chain}.transaction t ON t.source_seq = began.source_seq`+view.TransactionBlocksSQL+`
		WHERE t.execution_index < began.tx_count - began.passed AND t.execution_index >= began.tx_count - began.passed - $5::bigint
		ORDER BY t.execution_index DESC`, args...)
	// The first rows of the pages before and after. Near the last transaction of the block, the page before overlaps
	// this one.
	neighbours := engine.Query(b, func(p *executedTransaction) []any { return []any{&p.sequence, &p.index, &p.execution} }, `
		SELECT {}, coalesce(t.microblock_sequence, 2147483647), t.tx_index, t.execution_index
		FROM `+pageStartSQL(choice)+`
		JOIN {chain}.transaction t ON t.source_seq = began.source_seq
		WHERE t.execution_index = began.tx_count - began.passed - $5::bigint - 1
		   OR began.passed > 0 AND t.execution_index = began.tx_count - 1 - greatest(began.passed - $5::bigint, 0)
		ORDER BY t.execution_index`, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	block, ok := chosen.First()
	if !ok {
		return nil, engine.NotFound("Block not found")
	}
	rows := view.RowsOf(found)
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	page := &page.KeysetPage[view.TransactionSummary]{Total: int64(block.txCount), Limit: in.Limit, Results: []view.TransactionSummary{}}
	for _, r := range rows {
		page.Results = append(page.Results, view.Summarize(r))
	}
	page.Cursor = cursorOf(block.height, rows, neighbours.Rows)
	if in.Block != "latest" {
		s.FinalAt(block.burnHeight)
	}
	return page, nil
}

// cursorOf returns the cursors of a page with the given rows, last first. neighbours holds the first rows of the
// adjacent pages.
func cursorOf(height int64, rows []*view.TransactionRow, neighbours []executedTransaction) (c page.KeysetCursor) {
	if len(rows) > 0 {
		current := page.PositionText(height, rows[0].Sequence(), rows[0].Index)
		c.Current = &current
	}
	for _, p := range neighbours {
		text := page.PositionText(height, p.sequence, p.index)
		if len(rows) > 0 && p.execution < rows[len(rows)-1].Execution {
			c.Next = &text
		} else {
			c.Previous = &text
		}
	}
	return c
}
