package readapi

import (
	"context"
	"net/http"
	"strconv"

	"strata/readapi/internal/answer"
)

type eventsV3Input struct {
	TransactionInput
	Limit  int         `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Rows of a page."`
	Cursor eventCursor `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"The index of the first event of the page."`
}

// eventCursor is the index of an event.
type eventCursor string

func (c eventCursor) index() int64 {
	n, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil {
		return 0 // it is not given
	}
	return n
}

func (a *API) registerTransactionEventsV3() {
	get(a.Engine, resource{
		id: "list-transaction-events", path: "/extended/v3/transactions/{tx_id}/events", tag: "Transactions", summary: "Events of a transaction, the first first",
		about:    "Of the canonical copy alone: what is orphaned is not found.",
		statuses: []int{http.StatusBadRequest, http.StatusNotFound},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true,
	}, listTransactionEvents)
	traced(a.Engine, "list-transaction-events", func(_ context.Context, _ *snapshot, _ *eventsV3Input, page *keysetPage[eventV3]) ([]lookup, error) {
		if page == nil || len(page.Results) == 0 {
			return nil, nil
		}
		return transactionLookups([]*transactionRow{{rowKey: page.Results[0].row.rowKey}}, eventKeys(page.Results)), nil
	})
}

// listTransactionEvents reads a page of events. The reference's status for a transaction that there isn't is 400.
func listTransactionEvents(ctx context.Context, s *snapshot, in *eventsV3Input) (*keysetPage[eventV3], error) {
	row, err := findCanonical(ctx, s, in.ID)
	if err != nil {
		return nil, err
	}
	first, total := in.Cursor.index(), int64(row.eventCount)
	page := &keysetPage[eventV3]{Total: total, Limit: in.Limit, Results: []eventV3{}}
	at := func(index int64) *string {
		text := strconv.FormatInt(index, 10)
		return &text
	}
	if first > 0 {
		page.Cursor.Previous = at(max(min(first, total)-int64(in.Limit), 0))
	}
	s.settles(row.burnBlockHeight)
	if first >= total {
		return page, nil
	}
	page.Cursor.Current = at(first)
	if next := first + int64(in.Limit); next < total {
		page.Cursor.Next = at(next)
	}
	b := s.batch()
	events := queueEventWindow(b, []rowKey{row.rowKey}, first, in.Limit)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	for _, e := range events.rows {
		page.Results = append(page.Results, renderEventV3(e))
	}
	return page, nil
}
