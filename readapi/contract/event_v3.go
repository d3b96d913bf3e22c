package contract

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

type contractEventsV3Input struct {
	ID     contractV3Name `path:"contract_id"`
	Limit  int            `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Rows of a page."`
	Cursor printPlace     `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,9}:[0-9]{1,9}$" doc:"First event of the page, as block height:microblock sequence (2147483647 for none):transaction index:event index."`
	EventFilter
}

// printedV3 is an event that a contract printed, in version 3 of the API.
type printedV3 struct {
	ContractID   string            `json:"contract_id"`
	Topic        string            `json:"topic"`
	Value        view.ClarityValue `json:"value"`
	FunctionName *string           `json:"function_name" doc:"The function that the transaction calls, of whatever contract; null for a transaction that calls none."`
	view.PlaceV3
}

func (a *api) registerContractEventsV3() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-contract-events-v3", Path: "/extended/v3/smart-contracts/{contract_id}/events", Tag: "Contracts", Summary: "Events that a contract printed, newest first",
		Description: "A page costs the same at any depth, and with a filter by topic, by function or by blocks. The peer has no such list in version 3.",
		Statuses:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, listContractEventsV3)
}

func listContractEventsV3(ctx context.Context, s *engine.Snapshot, in *contractEventsV3Input) (*page.KeysetPage[printedV3], error) {
	list := &page.KeysetPage[printedV3]{Limit: in.Limit, Results: []printedV3{}}
	l, err := findPrintedList(ctx, s, string(in.ID), "", in.EventFilter, in.Cursor)
	if l == nil || err != nil {
		return list, err
	}
	list.Total = l.high - l.low
	start, limit := l.start(0), int64(in.Limit)
	newer, older := min(start+limit, l.high), start-limit
	numbers := []int64{newer}
	for n := start; n >= older; n-- { // with the first of the next page
		numbers = append(numbers, n)
	}
	b := s.Batch()
	found := l.queuePrinted(b, distinctAbove(numbers, l.low), start, start-limit+1)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var shown []printedRow
	for i := range found.Rows {
		r := &found.Rows[i]
		place := r.place()
		switch {
		case r.number > start:
			list.Cursor.Previous = &place
		case r.number == older:
			list.Cursor.Next = &place
		default:
			if r.number == start {
				list.Cursor.Current = &place
			}
			shown = append(shown, *r)
		}
	}
	if len(shown) == 0 {
		return list, nil
	}
	keys := make([]view.RowKey, len(shown))
	for i := range shown {
		keys[i] = shown[i].RowKey
	}
	b = s.Batch()
	located := view.QueuePlaces(b, keys)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	places := view.PlacesOf(located)
	for i := range shown {
		r := &shown[i]
		list.Results = append(list.Results, printedV3{view.ValueOf(r.Contract), view.ValueOf(r.Topic), view.ShowRaw(r.Value), r.called, places[r.RowKey].Event(r.Number)})
	}
	return list, nil
}
