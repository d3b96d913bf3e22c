package transaction

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type transactionV3Input struct {
	param.TransactionInput
	Include view.Included `query:"include,explode"`
}

func (a *api) registerTransactionV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-transaction-v3", Path: "/extended/v3/transactions/{tx_id}", Tag: "Transactions", Summary: "A transaction",
		Description: "Shows the canonical copy of the transaction. Without one, shows the transaction as it waits in the mempool or was dropped from it. " +
			"An orphaned transaction that the mempool never had is not found.",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.getTransactionV3)
}

// findCanonical reads the canonical copy of a transaction. An orphaned copy counts as not found, because bodies of
// version 3 cannot say that a transaction is orphaned.
func findCanonical(ctx context.Context, s *engine.Snapshot, named param.HashParameter) (*view.TransactionRow, error) {
	id, err := named.Hash()
	if err != nil {
		return nil, err
	}
	row, err := view.FindTransaction(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if row == nil || !row.Canonical {
		return nil, engine.NotFound("Transaction not found")
	}
	return row, nil
}

func (a *api) getTransactionV3(ctx context.Context, s *engine.Snapshot, in *transactionV3Input) (*view.ShownV3, error) {
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	found, err := view.FindTransactions(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if r := found[id].Waiting; r != nil {
		if _, err := view.Complete(ctx, s, []*view.TransactionRow{&r.TransactionRow}, true, nil); err != nil {
			return nil, err
		}
		return &view.ShownV3{Waiting: view.RenderWaitingV3(r, in.Include)}, nil
	}
	row := found[id].Mined
	if row == nil || !row.Canonical {
		return nil, engine.NotFound("Transaction not found")
	}
	if _, err := view.Complete(ctx, s, []*view.TransactionRow{row}, true, nil); err != nil {
		return nil, err
	}
	s.FinalAt(row.BurnBlockHeight)
	return &view.ShownV3{Mined: view.RenderTransactionV3(row, in.Include)}, nil
}
