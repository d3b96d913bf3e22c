package readapi

import (
	"context"
	"net/http"

	"strata/readapi/internal/answer"
)

// KeysetInput says which page of a list of version 3 of the API is asked for.
type KeysetInput struct {
	Limit  int            `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor positionCursor `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,10}$" doc:"Where the page begins: height, microblock sequence (2147483647 for none) and index in the block's list. H:0:0 is the end of block H."`
}

func (in KeysetInput) asked() *asked {
	p := &asked{limit: in.Limit}
	if in.Cursor != "" {
		height, sequence, index := in.Cursor.position()
		p.place = &chainPlace{height, sequence, index}
	}
	return p
}

func (a *API) registerTransactionListV3() {
	r := resource{
		id: "list-transactions-v3", path: "/extended/v3/transactions", tag: "Transactions", summary: "Transactions, newest first",
		about:    "`from_block` and `to_block` are ours.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound}, class: answer.Tip, of: onTip("accounts", "chain"),
	}
	get(a.Engine, r, a.listTransactionsV3)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, _ *transactionListV3Input, page *keysetPage[transactionSummary]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		rows := make([]*transactionRow, len(page.Results))
		for i := range page.Results {
			rows[i] = page.Results[i].row
		}
		return listedLookups(rows), nil
	})
}

type transactionListV3Input struct {
	KeysetInput
	BlockRange
}

func (a *API) listTransactionsV3(ctx context.Context, s *snapshot, in *transactionListV3Input) (*keysetPage[transactionSummary], error) {
	p := in.asked()
	page := &keysetPage[transactionSummary]{Limit: in.Limit, Results: []transactionSummary{}}
	var err error
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return page, nil
	}
	b := s.batch()
	head := queueHead(b, &allTransactions, p)
	found := queueListed(b, &allTransactions, p)
	beside := allTransactions.queueNeighbours(b, p)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	rows := rowsOf(found)
	if _, err := complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	for _, r := range rows {
		page.Results = append(page.Results, summarize(r))
	}
	first, _ := head.first()
	page.Total, page.Cursor = first.total(), keysetOf(&first, rows, beside.rows)
	return page, nil
}

// keysetOf makes the cursor of a page with these rows, beside which pages begin with others.
func keysetOf(head *pageHead, rows []*transactionRow, beside []listPlace) (c keysetCursor) {
	if len(rows) > 0 {
		current := positionText(rows[0].height, rows[0].sequence(), rows[0].index)
		c.Current = &current
	}
	for _, at := range beside {
		text := positionText(at.height, at.sequence, at.index)
		if at.number > head.start || len(rows) == 0 {
			c.Previous = &text
		} else {
			c.Next = &text
		}
	}
	return c
}
