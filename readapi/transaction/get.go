package transaction

import (
	"context"
	"net/http"
	"strings"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

// EventWindow holds the parameters for which events of a transaction are shown.
type EventWindow struct {
	EventLimit  int   `query:"event_limit" minimum:"0" maximum:"100" default:"20" doc:"Maximum number of events to show; 0 means the default."`
	EventOffset int64 `query:"event_offset" minimum:"0" default:"0" doc:"Events to skip before the first one shown."`
}

type shownTransactionInput struct {
	param.TransactionInput
	EventWindow
	param.TransactionOptions
}

func (a *api) registerTransaction() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-transaction", Path: "/extended/v1/tx/{tx_id}", Tag: "Transactions", Summary: "A transaction with its events",
		Description: "Shows the canonical copy of the transaction. Without one, shows the transaction as it waits in the mempool or was dropped from it; " +
			"if the mempool never had it, shows its newest orphaned copy, marked as such. " +
			"An id without 0x is redirected (302) to the same id with 0x. " + engine.Instead("/extended/v3/transactions/{tx_id}"),
		Statuses:   []int{http.StatusFound, http.StatusBadRequest, http.StatusNotFound},
		Deprecated: true,
	}, a.getTransaction)
}

func (a *api) getTransaction(ctx context.Context, s *engine.Snapshot, in *shownTransactionInput) (*view.ShownTransaction, error) {
	if !strings.HasPrefix(string(in.ID), "0x") {
		return nil, engine.RedirectTo(ctx, "/extended/v1/tx/0x"+string(in.ID))
	}
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	found, err := view.FindTransactions(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if r := found[id].Waiting; r != nil {
		interfaces, err := view.Complete(ctx, s, []*view.TransactionRow{&r.TransactionRow}, false, nil)
		if err != nil {
			return nil, err
		}
		shown := view.RenderWaiting(r, view.Rendering{Interfaces: interfaces, WithoutArguments: in.ExcludeFunctionArgs})
		return &view.ShownTransaction{Waiting: &shown}, nil
	}
	row := found[id].Mined
	if row == nil {
		return nil, engine.NotFound("could not find transaction by ID")
	}
	limit := page.LimitOr(in.EventLimit, page.EventsLimit)
	var events *engine.Result[view.EventRow]
	var window func(b *engine.Batch)
	if in.EventOffset < int64(row.EventCount) {
		window = func(b *engine.Batch) {
			events = view.QueueEventWindow(b, []view.RowKey{row.RowKey}, in.EventOffset, limit)
		}
	}
	interfaces, err := view.Complete(ctx, s, []*view.TransactionRow{row}, false, window)
	if err != nil {
		return nil, err
	}
	shown := view.RenderTransaction(row, view.Rendering{Interfaces: interfaces, WithoutArguments: in.ExcludeFunctionArgs})
	if events != nil {
		shown.Events = view.RenderEvents(events.Rows, row.ID)
	}
	if row.Canonical {
		s.FinalAt(row.BurnBlockHeight)
	}
	return &view.ShownTransaction{Mined: &shown}, nil
}
