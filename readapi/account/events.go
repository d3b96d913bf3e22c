package account

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// eventTypes is a list of event types in a query. One value may hold several types, separated by commas.
type eventTypes []string

// Schema implements huma.SchemaProvider. It has no enum: kinds rejects an unknown type with the error that clients
// expect, which differs from that of a failed validation.
func (eventTypes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Event types to list: smart_contract_log, stx_lock, stx_asset, fungible_token_asset, non_fungible_token_asset. Repeat the parameter or separate the types with commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{view.EventSTX}})
}

// kinds returns the node's event types for the requested types, sorted; nil when the request names none.
func (p eventTypes) kinds() (kinds []string, err error) {
	for _, eventType := range param.SplitList(p) {
		known := false
		for kind, shape := range view.EventKinds {
			if shape.Shown == eventType {
				kinds, known = append(kinds, kind), true
			}
		}
		if !known {
			return nil, engine.BadRequest("invalid 'event type'")
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}

type transactionEventsInput struct {
	ID      param.HashParameter      `query:"tx_id" doc:"The transaction."`
	Address param.PrincipalParameter `query:"address" doc:"The account or contract, instead of a transaction: lists the events that move or lock its assets, and those that it printed."`
	Types   eventTypes               `query:"type,explode"`
	Limit   int                      `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Page size; 0 means the default."`
	Offset  int64                    `query:"offset" minimum:"0" default:"0" doc:"Number of rows to skip."`
	Cursor  string                   `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"First event of a page of an account's events: prev_cursor of another page."`
}

func (in *transactionEventsInput) Dependencies() engine.Dependencies {
	if in.Address != "" {
		return param.BlockRange{}.OfAccount(string(in.Address))
	}
	return engine.OnTip("chain")
}

// eventList is a page of events, newest first.
type eventList struct {
	Limit      int              `json:"limit"`
	Offset     int64            `json:"offset"`
	Events     []view.EventBody `json:"events" nullable:"false"`
	PrevCursor *string          `json:"prev_cursor,omitempty" doc:"For an account: the page of older events; absent on the oldest page. The reference has no such member."`
}

func (a *api) registerTransactionEvents() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-events", Path: "/extended/v1/tx/events", Tag: "Transactions", Summary: "Events of a transaction or an account, newest first",
		Description: "For a transaction, lists the events of its canonical copy only: an event does not say whether it is orphaned. " +
			"For an account with a filter by type, a page examines at most 10000 rows, so it may have fewer rows than the limit although more follow. " + engine.Instead("/extended/v3/transactions/{tx_id}/events"),
		Statuses:   []int{http.StatusBadRequest},
		Deprecated: true,
	}, listEvents)
}

func listEvents(ctx context.Context, s *engine.Snapshot, in *transactionEventsInput) (*eventList, error) {
	page := &eventList{Limit: page.LimitOr(in.Limit, page.EventsLimit), Offset: in.Offset, Events: []view.EventBody{}}
	switch {
	case in.ID == "" && in.Address == "":
		return nil, engine.BadRequest("can not find 'address' or 'tx_id' in the request")
	case in.ID != "" && in.Address != "":
		return nil, engine.BadRequest("can't handle both 'address' and 'tx_id' in the same request")
	}
	kinds, err := in.Types.kinds()
	if err != nil {
		return nil, err
	}
	if in.Address != "" {
		return listAccountEvents(ctx, s, in, kinds, page)
	}
	id, err := in.ID.Hash()
	if err != nil {
		return nil, err
	}
	row, err := view.FindTransaction(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if row == nil || !row.Canonical || in.Offset >= int64(row.EventCount) {
		return page, nil
	}
	b := s.Batch()
	// Without a filter by type, the offset is arithmetic on event indexes, and the query skips no rows.
	last, skipped := int64(row.EventCount)-1-in.Offset, int64(0)
	if kinds != nil {
		last, skipped = int64(row.EventCount)-1, in.Offset
	}
	found := engine.Query(b, view.EventColumns, `
		SELECT `+view.EventSQL+`
		FROM {chain}.event e
		WHERE e.source_seq = $1 AND e.tx_index = $2 AND e.event_index <= $3::bigint AND ($4::text[] IS NULL OR e.type = ANY ($4))
		ORDER BY e.source_seq DESC, e.tx_index DESC, e.event_index DESC OFFSET $5 LIMIT $6`, row.Seq, row.Index, last, kinds, skipped, page.Limit)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	page.Events = view.RenderEvents(found.Rows, id)
	return page, nil
}

func listAccountEvents(ctx context.Context, s *engine.Snapshot, in *transactionEventsInput, kinds []string, page *eventList) (*eventList, error) {
	account, err := in.Address.Account()
	if err != nil {
		return nil, err
	}
	if _, ok := s.Tip("accounts"); !ok {
		return page, nil
	}
	events, next, err := readMergedEvents(ctx, s, account, kinds, parseEventPlace(in.Cursor), in.Offset, page.Limit)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		page.Events = append(page.Events, view.RenderEvent(e.EventRow, e.id))
	}
	page.PrevCursor = next.text()
	return page, nil
}
