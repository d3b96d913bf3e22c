package readapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/answer"
)

// eventTypes are types of events in a request, as a list; a comma parts them, too.
type eventTypes []string

// Schema implements huma.SchemaProvider. Which texts are types is not said here: clients know another error for those that
// are none.
func (eventTypes) Schema(huma.Registry) *huma.Schema {
	return listOf("Types of events that are shown: smart_contract_log, stx_lock, stx_asset, fungible_token_asset, non_fungible_token_asset. To ask for several, repeat the parameter, or part them by commas.",
		&huma.Schema{Type: huma.TypeString, Examples: []any{eventSTX}})
}

// kinds are the types of events as the table has them; nil for all of them.
func (p eventTypes) kinds() (kinds []string, err error) {
	for _, asked := range parted(p) {
		before := len(kinds)
		for kind, shown := range eventKinds {
			if shown.shown == asked {
				kinds = append(kinds, kind)
			}
		}
		if len(kinds) == before {
			return nil, badRequest("invalid 'event type'")
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}

type transactionEventsInput struct {
	ID      hashParameter      `query:"tx_id" doc:"The transaction."`
	Address principalParameter `query:"address" doc:"The account or contract, instead of a transaction: what moves or locks something of it, and what it prints."`
	Types   eventTypes         `query:"type,explode"`
	Limit   int                `query:"limit" minimum:"0" maximum:"100" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset  int64              `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
	Cursor  string             `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,9}$" doc:"Where the page of an account's events begins, as prev_cursor of another one names it."`
}

func (in *transactionEventsInput) Dependencies() dependencies {
	if in.Address != "" {
		return BlockRange{}.ofAccount(string(in.Address))
	}
	return onTip("chain")
}

// eventList is a page of events, newest first.
type eventList struct {
	Limit  int         `json:"limit"`
	Offset int64       `json:"offset"`
	Events []eventBody `json:"events" nullable:"false"`
	// PrevCursor is there for accounts alone.
	PrevCursor *string `json:"prev_cursor,omitempty" doc:"Of an account: the page of older events; absent on the oldest page. It is ours."`
}

func (a *API) registerTransactionEvents() {
	get(a.Engine, resource{
		id: "list-events", path: "/extended/v1/tx/events", tag: "Transactions", summary: "Events of a transaction or an account, newest first",
		about: "Of a transaction those of the canonical copy alone: an event does not say that it is orphaned. " +
			"Of an account, a page of some types of events is one of those among 10000 rows of its list at most, so that it may have fewer rows than it could. " + instead("/extended/v3/transactions/{tx_id}/events"),
		statuses: []int{http.StatusBadRequest},
		class:    answer.Tip, of: onTip("chain"), taggedByContent: true, deprecated: true,
	}, listEvents)
	traced(a.Engine, "list-events", func(_ context.Context, _ *snapshot, in *transactionEventsInput, page *eventList) ([]lookup, error) {
		if page == nil || len(page.Events) == 0 {
			return nil, nil
		}
		if in.Address != "" {
			return accountEventLookups(string(in.Address), page.Events), nil
		}
		return transactionLookups([]*transactionRow{{rowKey: page.Events[0].row.rowKey}}, eventKeys(page.Events)), nil
	})
}

func listEvents(ctx context.Context, s *snapshot, in *transactionEventsInput) (*eventList, error) {
	page := &eventList{Limit: orDefault(in.Limit, eventsLimit), Offset: in.Offset, Events: []eventBody{}}
	switch {
	case in.ID == "" && in.Address == "":
		return nil, badRequest("can not find 'address' or 'tx_id' in the request")
	case in.ID != "" && in.Address != "":
		return nil, badRequest("can't handle both 'address' and 'tx_id' in the same request")
	}
	kinds, err := in.Types.kinds()
	if err != nil {
		return nil, err
	}
	if in.Address != "" {
		return listEventsOf(ctx, s, in, kinds, page)
	}
	id, err := in.ID.hash()
	if err != nil {
		return nil, err
	}
	row, err := findTransaction(ctx, s, id)
	if err != nil {
		return nil, err
	}
	if row == nil || !row.canonical || in.Offset >= int64(row.eventCount) {
		return page, nil
	}
	b := s.batch()
	// Without types, rows before the page are numbers that are left out, not rows that are passed over.
	last, skipped := int64(row.eventCount)-1-in.Offset, int64(0)
	if kinds != nil {
		last, skipped = int64(row.eventCount)-1, in.Offset
	}
	found := query(b, eventColumns, `
		SELECT `+eventSQL+`
		FROM {chain}.event e
		WHERE e.source_seq = $1 AND e.tx_index = $2 AND e.event_index <= $3::bigint AND ($4::text[] IS NULL OR e.type = ANY ($4))
		ORDER BY e.source_seq DESC, e.tx_index DESC, e.event_index DESC OFFSET $5 LIMIT $6`, row.seq, row.index, last, kinds, skipped, page.Limit)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	page.Events = renderEvents(found.rows, id)
	return page, nil
}

func listEventsOf(ctx context.Context, s *snapshot, in *transactionEventsInput, kinds []string, page *eventList) (*eventList, error) {
	account, err := in.Address.account()
	if err != nil {
		return nil, err
	}
	if _, ok := s.tip("accounts"); !ok {
		return page, nil
	}
	events, next, err := readMergedEvents(ctx, s, account, kinds, parseEventPlace(in.Cursor), in.Offset, page.Limit)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		shown := renderEvent(e.eventRow, e.id)
		shown.number, shown.printed = e.number, e.printed
		page.Events = append(page.Events, shown)
	}
	page.PrevCursor = next.text()
	return page, nil
}
