package transaction

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

func (a *api) registerTransactionListV3() {
	r := engine.Operation{
		ID: "list-transactions-v3", Path: "/extended/v3/transactions", Tag: "Transactions", Summary: "Transactions, newest first",
		Description: "`from_block` and `to_block` are extensions of Strata.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}
	engine.Get(a.Engine, r, a.listTransactionsV3)
}

type transactionListV3Input struct {
	page.KeysetInput
	param.BlockRange
}

func (a *api) listTransactionsV3(ctx context.Context, s *engine.Snapshot, in *transactionListV3Input) (*page.KeysetPage[view.TransactionSummary], error) {
	p, err := in.Request()
	if err != nil {
		return nil, err
	}
	list := &page.KeysetPage[view.TransactionSummary]{Limit: in.Limit, Results: []view.TransactionSummary{}}
	if p.From, p.To, err = in.Heights(ctx, s); err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return list, nil
	}
	b := s.Batch()
	head, found := newestTransactions.Queue(b, p)
	beside := newestTransactions.QueueNeighbours(b, p)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	rows := view.RowsOf(found)
	if _, err := view.Complete(ctx, s, rows, true, nil); err != nil {
		return nil, err
	}
	for _, r := range rows {
		list.Results = append(list.Results, view.Summarize(r))
	}
	first, _ := head.First()
	list.Total, list.Cursor = first.Total(), view.KeysetOf(&first, rows, beside.Rows)
	return list, nil
}
