package readapi

import (
	"context"
	"net/http"
	"strconv"

	"strata/readapi/internal/answer"
)

// TransactionListInput names a page of transactions, and says which are listed.
type TransactionListInput struct {
	ListPage
	BlockRange
	TransactionFilter
	Types      transactionTypes `query:"type,explode"`
	Order      string           `query:"order" enum:"asc,desc" default:"desc"`
	Unanchored bool             `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	ArgumentsInput
}

func (a *API) registerTransactionList() {
	r := resource{
		id: "list-transactions", path: "/extended/v1/tx", tag: "Transactions", summary: "Transactions, newest first",
		about: instead("/extended/v3/transactions") + listCursors +
			" All transactions, those of some types and the calls of a contract are paged through at the same cost wherever the page is. With other filters, or another order, " +
			"a request looks through 10000 rows at most, and cursors lead in the direction of the order alone.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class:    answer.Tip, of: onTip("accounts", "chain"), deprecated: true,
	}
	get(a.Engine, r, a.listTransactions)
	traced(a.Engine, r.id, func(_ context.Context, _ *snapshot, _ *TransactionListInput, page *transactionList) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return listedLookups(rowsShown(page.Results)), nil
	})
}

// transactionList is a page of transactions.
type transactionList struct {
	Limit    int               `json:"limit"`
	Offset   int64             `json:"offset"`
	Total    int64             `json:"total" doc:"Length of the whole list, whatever the page."`
	Complete bool              `json:"complete" doc:"False when more rows than one request may would have to be looked through for those that match: total, and an order other than that of the chain, are of the newest 10000 then, with order=asc of the oldest. The cursor goes on."`
	Results  []transactionBody `json:"results" nullable:"false"`
	NumberCursors
}

// listTransactions reads a page of a list that is numbered: of all transactions, of those of some types, or of the calls of a
// contract. For other filters it looks through one.
func (a *API) listTransactions(ctx context.Context, s *snapshot, in *TransactionListInput) (*transactionList, error) {
	types, err := in.Types.numbers()
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.SortBy != "block_height" && in.Cursor != "" {
		return nil, badRequest("a cursor goes with sort_by=block_height alone: use offset")
	}
	p, oldestFirst := in.asked(), in.Order == "asc"
	if p.from, p.to, err = in.heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return &transactionList{Limit: p.limit, Offset: p.offset, Complete: true, Results: []transactionBody{}}, nil
	}
	var l pagedList
	var owner []any
	switch {
	case in.none() && types != nil:
		l, owner = typedTransactions{oldestFirst}, []any{types}
	case in.none():
		l = allTransactions.inOrder(oldestFirst)
	case in.callsOnly() && types == nil:
		l, owner = accountCalls.inOrder(oldestFirst), []any{in.ContractID}
	default:
		return a.walkTransactions(ctx, s, in, types, p)
	}
	b := s.batch()
	head := queueHead(b, l, p, owner...)
	found := queueListed(b, l, p, owner...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	page, err := transactionPage(ctx, s, p, head, found, in.ArgumentsInput)
	if err != nil {
		return nil, err
	}
	return &transactionList{page.Limit, page.Offset, page.Total, true, page.Results, page.NumberCursors}, nil
}

func (a *API) walkTransactions(ctx context.Context, s *snapshot, in *TransactionListInput, types []int16, p *asked) (*transactionList, error) {
	if err := in.narrowed(ctx, s, p); err != nil {
		return nil, err
	}
	w := in.walk(types, min(p.offset, offsetMost), in.Order == "asc")
	from := *p
	from.offset = 0 // of rows that match
	args := from.args(w.args...)
	b := s.batch()
	heads := w.queueHead(b, args)
	found := w.queueRows(b, p.limit, args)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	head, _ := heads.first()
	all := rowsOf(found)
	rows := all[:min(len(all), p.limit)]
	interfaces, err := complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	page := &transactionList{Limit: p.limit, Offset: p.offset, Total: head.matching, Complete: head.total() <= examinedMost, Results: []transactionBody{}}
	for _, r := range rows {
		page.Results = append(page.Results, renderTransaction(r, rendering{interfaces, in.ExcludeFunctionArgs}))
	}
	if w.key == "" {
		page.NumberCursors = head.walked(all, p.limit)
	}
	return page, nil
}

// walked are the cursors of a page of a walk, which goes on in its own direction alone: with the row after its last one, or
// with the first that was not looked at.
func (h *walkHead) walked(rows []*transactionRow, limit int) (c NumberCursors) {
	text := func(n int64) *string {
		t := strconv.FormatInt(n, 10)
		return &t
	}
	if len(rows) > 0 {
		c.Cursor = text(rows[0].number)
	}
	on := &c.PrevCursor
	unseen, more := h.start-examinedMost, h.start-examinedMost > h.low
	if h.oldestFirst {
		on, unseen, more = &c.NextCursor, h.start+examinedMost, h.start+examinedMost <= h.high
	}
	switch {
	case len(rows) > limit:
		*on = text(rows[limit].number)
	case more:
		*on = text(unseen)
	}
	return c
}
