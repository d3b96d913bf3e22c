package transaction

import (
	"context"
	"net/http"
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// TransactionListInput holds the parameters of the list of transactions.
type TransactionListInput struct {
	page.ListPage
	param.BlockRange
	TransactionFilter
	Types      page.TransactionTypes `query:"type,explode"`
	Order      string                `query:"order" enum:"asc,desc" default:"desc"`
	Unanchored bool                  `query:"unanchored" default:"false" doc:"Accepted and without effect: there are no microblocks any more."`
	param.ArgumentsInput
}

func (a *api) registerTransactionList() {
	r := engine.Operation{
		ID: "list-transactions", Path: "/extended/v1/tx", Tag: "Transactions", Summary: "Transactions, newest first",
		Description: engine.Instead("/extended/v3/transactions") + page.ListCursors +
			" A page of all transactions, of the transactions of some types, or of the calls of a contract costs the same at any depth. With other filters, or another order, " +
			"a request examines 10000 rows at most, and cursors only lead onwards in the direction of the order.",
		Statuses:   []int{http.StatusBadRequest, http.StatusNotFound},
		Deprecated: true,
	}
	engine.Get(a.Engine, r, a.listTransactions)
}

// transactionList is a page of transactions.
type transactionList struct {
	Limit    int                    `json:"limit"`
	Offset   int64                  `json:"offset"`
	Total    int64                  `json:"total" doc:"Length of the whole list, whatever the page."`
	Complete bool                   `json:"complete" doc:"False when the list has more rows than one request may examine for those that match. Then total, and an order other than that of the chain, cover only the newest 10000 rows, or the oldest with order=asc; the cursor continues after them."`
	Results  []view.TransactionBody `json:"results" nullable:"false"`
	page.NumberCursors
}

// orderedReader holds the readers of a list in both orders.
type orderedReader struct {
	newestFirst, oldestFirst *page.Reader[view.TransactionRow]
}

func (r orderedReader) in(oldestFirst bool) *page.Reader[view.TransactionRow] {
	if oldestFirst {
		return r.oldestFirst
	}
	return r.newestFirst
}

func inBothOrders(l page.Numbered) orderedReader {
	return orderedReader{view.ListReader(l.InOrder(false)), view.ListReader(l.InOrder(true))}
}

// The lists of transactions that a request may page through.
var (
	allTransactions    = inBothOrders(view.AllTransactions)
	contractCalls      = inBothOrders(view.AccountCalls)
	typedTransactions  = orderedReader{view.ListReader(page.Typed{}), view.ListReader(page.Typed{OldestFirst: true})}
	newestTransactions = allTransactions.newestFirst
)

// listTransactions reads a page of a numbered list: of all transactions, of those of some types, or of the calls of a
// contract. Other filters make it walk through such a list; see transactionWalk.
func (a *api) listTransactions(ctx context.Context, s *engine.Snapshot, in *TransactionListInput) (*transactionList, error) {
	types, err := in.Types.Numbers()
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.SortBy != "block_height" && in.Cursor != "" {
		return nil, engine.BadRequest("a cursor goes with sort_by=block_height alone: use offset")
	}
	p, oldestFirst := in.Request(), in.Order == "asc"
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return &transactionList{Limit: p.Limit, Offset: p.Offset, Complete: true, Results: []view.TransactionBody{}}, nil
	}
	var l orderedReader
	var owner []any
	switch {
	case in.none() && types != nil:
		l, owner = typedTransactions, []any{types}
	case in.none():
		l = allTransactions
	case in.callsOnly() && types == nil:
		l, owner = contractCalls, []any{string(in.ContractID)}
	default:
		return a.walkTransactions(ctx, s, in, types, p)
	}
	b := s.Batch()
	head, found := l.in(oldestFirst).Queue(b, p, owner...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page, err := view.TransactionPage(ctx, s, p, head, found, in.ArgumentsInput)
	if err != nil {
		return nil, err
	}
	return &transactionList{page.Limit, page.Offset, page.Total, true, page.Results, page.NumberCursors}, nil
}

// walkTransactions reads a page of the transactions that match the filters of the request, by a walk through a list.
func (a *api) walkTransactions(ctx context.Context, s *engine.Snapshot, in *TransactionListInput, types []int16, p *page.Request) (*transactionList, error) {
	if err := in.narrow(ctx, s, p); err != nil {
		return nil, err
	}
	w := in.walk(types, min(p.Offset, page.OffsetMax), in.Order == "asc")
	start := *p
	start.Offset = 0 // the walk skips rows that match; the page request would skip any rows
	args := start.Args(w.args...)
	b := s.Batch()
	heads := w.queueHead(b, args)
	found := w.queueRows(b, p.Limit, args)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	head, _ := heads.First()
	all := view.RowsOf(found)
	rows := all[:min(len(all), p.Limit)]
	interfaces, err := view.Complete(ctx, s, rows, false, nil)
	if err != nil {
		return nil, err
	}
	page := &transactionList{Limit: p.Limit, Offset: p.Offset, Total: head.matching, Complete: head.Total() <= page.ExaminedMax, Results: []view.TransactionBody{}}
	for _, r := range rows {
		page.Results = append(page.Results, view.RenderTransaction(r, view.Rendering{Interfaces: interfaces, WithoutArguments: in.ExcludeFunctionArgs}))
	}
	if w.key == "" {
		page.NumberCursors = head.cursors(all, p.Limit)
	}
	return page, nil
}

// cursors returns the cursors of a page of a walk. A walk only continues in its own direction: with the matching row
// after the page, or with the first row that was not examined.
func (h *walkHead) cursors(rows []*view.TransactionRow, limit int) (c page.NumberCursors) {
	text := func(n int64) *string {
		t := strconv.FormatInt(n, 10)
		return &t
	}
	if len(rows) > 0 {
		c.Cursor = text(rows[0].Number)
	}
	onwards := &c.PrevCursor
	unseen, more := h.Start-page.ExaminedMax, h.Start-page.ExaminedMax > h.Low
	if h.OldestFirst {
		onwards, unseen, more = &c.NextCursor, h.Start+page.ExaminedMax, h.Start+page.ExaminedMax <= h.High
	}
	switch {
	case len(rows) > limit:
		*onwards = text(rows[limit].Number)
	case more:
		*onwards = text(unseen)
	}
	return c
}
