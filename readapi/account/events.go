package account

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// eventTypes are types of events in a request, as a list; a comma parts them, too.
type eventTypes []string

// Schema implements huma.SchemaProvider. Which texts are types is not said here: clients know another error for those that
// are none.
func (eventTypes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Types of events that are shown: smart_contract_log, stx_lock, stx_asset, fungible_token_asset, non_fungible_token_asset. To ask for several, repeat the parameter, or part them by commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{view.EventSTX}})
}

// kinds are the types of events as the table has them; nil for all of them.
func (p eventTypes) kinds() (kinds []string, err error) {
	for _, asked := range param.Parted(p) {
		before := len(kinds)
		for kind, shown := range view.EventKinds {
			if shown.Shown == asked {
				kinds = append(kinds, kind)
			}
		}
		if len(kinds) == before {
			return nil, engine.BadRequest("invalid 'event type'")
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}

type transactionEventsInput struct {
	ID      param.HashParameter      `query:"tx_id" doc:"The transaction."`
	Address param.PrincipalParameter `query:"address" doc:"The account or contract, instead of a transaction: what moves or locks something of it, and what it prints."`
	Types   eventTypes               `query:"type,explode"`
	Limit   int                      `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset  int64                    `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Cursor  string                   `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"Where the page of an account's events begins, as prev_cursor of another one names it."`
}

func (in *transactionEventsInput) Dependencies() engine.Dependencies {
	if in.Address != "" {
		return param.BlockRange{}.OfAccount(string(in.Address))
	}
	return engine.OnTip("chain")
}

// eventList is a page of events, newest first.
type eventList struct {
	Limit  int              `json:"limit"`
	Offset int64            `json:"offset"`
	Events []view.EventBody `json:"events" nullable:"false"`
	// PrevCursor is there for accounts alone.
	PrevCursor *string `json:"prev_cursor,omitempty" doc:"Of an account: the page of older events; absent on the oldest page. It is ours."`
}

func (a *api) registerTransactionEvents() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-events", Path: "/extended/v1/tx/events", Tag: "Transactions", Summary: "Events of a transaction or an account, newest first",
		Description: "Of a transaction those of the canonical copy alone: an event does not say that it is orphaned. " +
			"Of an account, a page of some types of events is one of those among 10000 rows of its list at most, so that it may have fewer rows than it could. " + engine.Instead("/extended/v3/transactions/{tx_id}/events"),
		Statuses: []int{http.StatusBadRequest},
		Class:    answer.Tip, DependsOn: engine.OnTip("chain"), TagByContent: true, Deprecated: true,
	}, listEvents)
	engine.Trace(a.Engine, "list-events", func(_ context.Context, _ *engine.Snapshot, in *transactionEventsInput, page *eventList) ([]engine.Lookup, error) {
		if page == nil || len(page.Events) == 0 {
			return nil, nil
		}
		if in.Address != "" {
			return accountEventLookups(string(in.Address), page.Events), nil
		}
		return view.TransactionLookups([]*view.TransactionRow{{RowKey: page.Events[0].Row.RowKey}}, view.EventKeys(page.Events)), nil
	})
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
		return listEventsOf(ctx, s, in, kinds, page)
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
	// Without types, rows before the page are numbers that are left out, not rows that are passed over.
	last, skipped := int64(row.EventCount)-1-in.Offset, int64(0)
	if kinds != nil {
		last, skipped = int64(row.EventCount)-1, in.Offset
	}
	found := engine.Query(b, view.EventColumns, `
		SELECT `+view.EventSQL+`
		FROM {chain}.event e
		WHERE e.source_seq = $1 AND e.tx_index = $2 AND e.event_index <= $3::bigint AND ($4::text[] IS NULL OR e.type = ANY ($4))
		ORDER BY e.source_seq DESC, e.tx_index DESC, e.event_index DESC OFFSET $5 LIMIT $6`, row.Seq, row.Index, last, kinds, skipped, page.Limit)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	page.Events = view.RenderEvents(found.Rows, id)
	return page, nil
}

func listEventsOf(ctx context.Context, s *engine.Snapshot, in *transactionEventsInput, kinds []string, page *eventList) (*eventList, error) {
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
		shown := view.RenderEvent(e.EventRow, e.id)
		shown.Number, shown.Printed = e.number, e.printed
		page.Events = append(page.Events, shown)
	}
	page.PrevCursor = next.text()
	return page, nil
}
