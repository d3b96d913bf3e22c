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

type eventsV3Input struct {
	param.TransactionInput
	Limit  int         `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Rows of a page."`
	Cursor eventCursor `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"The index of the first event of the page."`
}

// eventCursor is the index of an event.
type eventCursor string

// index returns the index, or 0 without a cursor.
func (c eventCursor) index() int64 {
	n, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (a *api) registerTransactionEventsV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-transaction-events", Path: "/extended/v3/transactions/{tx_id}/events", Tag: "Transactions", Summary: "Events of a transaction, first to last",
		Description: "The events of the canonical copy alone. An orphaned transaction is not found.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listTransactionEvents)
}

// listTransactionEvents reads a page of a transaction's events. For an unknown transaction it answers 404, the
// reference 400.
func listTransactionEvents(ctx context.Context, s *engine.Snapshot, in *eventsV3Input) (*page.KeysetPage[eventV3], error) {
	row, err := findCanonical(ctx, s, in.ID)
	if err != nil {
		return nil, err
	}
	first, total := in.Cursor.index(), int64(row.EventCount)
	page := &page.KeysetPage[eventV3]{Total: total, Limit: in.Limit, Results: []eventV3{}}
	cursor := func(index int64) *string {
		text := strconv.FormatInt(index, 10)
		return &text
	}
	if first > 0 {
		page.Cursor.Previous = cursor(max(min(first, total)-int64(in.Limit), 0))
	}
	s.FinalAt(row.BurnBlockHeight)
	if first >= total {
		return page, nil
	}
	page.Cursor.Current = cursor(first)
	if next := first + int64(in.Limit); next < total {
		page.Cursor.Next = cursor(next)
	}
	b := s.Batch()
	events := view.QueueEventWindow(b, []view.RowKey{row.RowKey}, first, in.Limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, e := range events.Rows {
		page.Results = append(page.Results, renderEventV3(e))
	}
	return page, nil
}
