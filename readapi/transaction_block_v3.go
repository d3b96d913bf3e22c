package readapi

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"

	"strata/readapi/internal/answer"
)

type blockTransactionsV3Input struct {
	BlockInput
	Limit  int            `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor positionCursor `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,10}$" doc:"Where the page begins: height, microblock sequence (2147483647 for none) and index in the block's list. H:0:0 is the end of block H."`
}

// positionCursor is where a transaction stands in the chain: height:sequence:index.
type positionCursor string

// position is the place of the first row of a page; without a cursor one after all there are. H:0:0, where there is no
// transaction, is the end of block H.
func (c positionCursor) position() (height, sequence, index int64) {
	parts := strings.Split(string(c), ":")
	if len(parts) != 3 {
		return math.MaxInt64, anchoredSequence, math.MaxInt32
	}
	for i, n := range []*int64{&height, &sequence, &index} {
		*n, _ = strconv.ParseInt(parts[i], 10, 64) // the pattern has been checked
	}
	if sequence == 0 && index == 0 {
		return height, anchoredSequence, math.MaxInt32
	}
	return height, sequence, index
}

func (a *API) registerBlockTransactionsV3() {
	get(a.Engine, resource{
		id: "list-block-transactions-v3", path: "/extended/v3/blocks/{height_or_hash}/transactions", tag: "Transactions", summary: "Transactions of a block, the last first",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip,
	}, a.listBlockTransactionsV3)
	traced(a.Engine, "list-block-transactions-v3", func(_ context.Context, _ *snapshot, _ *blockTransactionsV3Input, page *keysetPage[transactionSummary]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].row
		}
		return transactionLookups(rows, nil), nil
	})
}

// beganSQL is the block that is chosen, with how many of its transactions stand after a position, which a page that begins
// there passes over. The limit keeps them from being counted again for each transaction.
func beganSQL(choice blockChoice) string {
	return `(
		SELECT b.source_seq, b.tx_count, (
			SELECT count(*) FROM {chain}.transaction p
			WHERE p.source_seq = b.source_seq AND (b.height, coalesce(p.microblock_sequence, 2147483647), p.tx_index) > ($2::bigint, $3::bigint, $4::bigint)
		) AS passed
		FROM (` + choice.sql + `) chosen
		JOIN {chain}.block b ON b.source_seq = chosen.source_seq LIMIT 1
	) began`
}

// placed is where a transaction of a block stands.
type placed struct {
	sequence, index, execution int32
}

func (a *API) listBlockTransactionsV3(ctx context.Context, s *snapshot, in *blockTransactionsV3Input) (*keysetPage[transactionSummary], error) {
	choice, ok := canonicalBlock(s, in.Block)
	if !ok {
		return nil, notFound("Block not found")
	}
	height, sequence, index := in.Cursor.position()
	args := []any{choice.arg, height, sequence, index, int64(in.Limit)}
	b := s.batch()
	chosen := queueChosenBlock(b, choice)
	found := query(b, transactionColumns, `
		SELECT `+transactionSQL+`
		FROM `+beganSQL(choice)+`
		JOIN {chain}.transaction t ON t.source_seq = began.source_seq`+transactionBlocksSQL+`
		WHERE t.execution_index < began.tx_count - began.passed AND t.execution_index >= began.tx_count - began.passed - $5::bigint
		ORDER BY t.execution_index DESC`, args...)
	// The rows that the pages before and after begin with. Near the end the page before overlaps with this one.
	neighbours := query(b, func(p *placed) []any { return []any{&p.sequence, &p.index, &p.execution} }, `
		SELECT ARRAY[]::bigint[], coalesce(t.microblock_sequence, 2147483647), t.tx_index, t.execution_index
		FROM `+beganSQL(choice)+`
		JOIN {chain}.transaction t ON t.source_seq = began.source_seq
		WHERE t.execution_index = began.tx_count - began.passed - $5::bigint - 1
		   OR began.passed > 0 AND t.execution_index = began.tx_count - 1 - greatest(began.passed - $5::bigint, 0)
		ORDER BY t.execution_index`, args...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	block, ok := chosen.first()
	if !ok {
		return nil, notFound("Block not found")
	}
	rows := rowsOf(found)
	if _, err := complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	page := &keysetPage[transactionSummary]{Total: int64(block.txCount), Limit: in.Limit, Results: []transactionSummary{}}
	for _, r := range rows {
		page.Results = append(page.Results, summarize(r))
	}
	page.Cursor = cursorOf(block.height, rows, neighbours.rows)
	if in.Block != "latest" {
		s.settles(block.burnHeight)
	}
	return page, nil
}

// cursorOf makes the cursor of a page with these rows, last first, whose neighbours begin with others.
func cursorOf(height int64, rows []*transactionRow, neighbours []placed) (c keysetCursor) {
	if len(rows) > 0 {
		current := positionText(height, rows[0].sequence(), rows[0].index)
		c.Current = &current
	}
	for _, p := range neighbours {
		text := positionText(height, p.sequence, p.index)
		if len(rows) > 0 && p.execution < rows[len(rows)-1].execution {
			c.Next = &text
		} else {
			c.Previous = &text
		}
	}
	return c
}
