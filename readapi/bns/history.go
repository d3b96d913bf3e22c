package bns

import (
	"context"
	"math"
	"strconv"

	"strata/domain/bns"
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// HistoryInput are the parameters of the history of a name.
type HistoryInput struct {
	NameInput
	EventPage
}

// NamespaceHistoryInput are the parameters of the history of a namespace.
type NamespaceHistoryInput struct {
	NamespaceInput
	EventPage
}

// EventsInput are the parameters of the list of all events.
type EventsInput struct {
	NetworkInput
	EventPage
}

// EventPage holds the page parameters of a list of events.
type EventPage struct {
	Limit  int64 `query:"limit" minimum:"0" default:"50" doc:"Rows of a page; 0 means the default. Greater numbers than 1000 mean that."`
	Cursor int64 `query:"cursor" minimum:"0" default:"0" doc:"next_cursor of the page before."`
}

// eventsMost exceeds the number of events of any list, and fits in the columns of their numbers.
const eventsMost = math.MaxInt32

// from returns the number of the first event of the page.
func (p EventPage) from() int64 {
	if p.Cursor <= 0 {
		return eventsMost
	}
	return min(p.Cursor, eventsMost)
}

// bnsEvent is something that happened to a name or a namespace.
type bnsEvent struct {
	Kind          string         `json:"event" enum:"undecoded,airdrop,import,claim,register,transfer,buy,renew,takeover,burn,list,unlist,update-zonefile,revoke,set-primary,reveal,launch,transfer-manager,freeze-manager,turn-off-manager-transfers,update-price,freeze-price" doc:"claim: without a preorder. takeover: renewal of a lapsed name by another, who becomes its owner. undecoded: a print that the server does not know; see topic."`
	FullName      *string        `json:"full_name" doc:"Null if it is not of a name."`
	Namespace     *string        `json:"namespace_string"`
	ID            *int64         `json:"id" doc:"Id of the token."`
	Sender        *string        `json:"sender" doc:"Who had the name, or who acted."`
	Recipient     *string        `json:"recipient" doc:"Who has the name since then; of a namespace, its manager."`
	Amount        *schema.Amount `json:"amount" nullable:"true" doc:"µSTX: burned, paid, or asked."`
	RenewalHeight *schema.Amount `json:"renewal_height" nullable:"true" doc:"After a registration or a renewal, as the contract stores it."`
	Topic         *string        `json:"topic,omitempty"`
	BurnHeight    int64          `json:"burn_block_height" doc:"The Bitcoin height that the contract read."`
	Height        int64          `json:"block_height"`
	TxID          *hash.Hash32   `json:"tx_id" nullable:"true" doc:"Null for what a contract did without a print, and a read-only call of the registry after the block has told: any transaction up to it may have done it."`
	TxIndex       *int32         `json:"tx_index" doc:"In the block; null without a tx_id."`
	EventIndex    *int32         `json:"event_index" doc:"In the transaction; null for what nothing printed."`
}

// eventRow is an event as the tables store it.
type eventRow struct {
	bnsEvent
	n     int64
	nameN *int32
	kind  int16
}

const eventSQL = `{bns.event e}, e.n, e.name_n, e.kind, e.full_name, e.namespace, e.id, e.sender, e.recipient, e.amount::text, e.renewal_height::text, e.topic,
	e.burn_height, e.height, e.txid, e.tx_index, e.event_index`

func eventColumns(r *eventRow) []any {
	return []any{
		&r.n, &r.nameN, &r.kind, &r.FullName, &r.Namespace, &r.ID, &r.Sender, &r.Recipient, &r.Amount, &r.RenewalHeight, &r.Topic, &r.BurnHeight, &r.Height, &r.TxID,
		&r.TxIndex, &r.EventIndex,
	}
}

func (r *eventRow) shape() bnsEvent {
	e := r.bnsEvent
	e.Kind = bns.EventKind(r.kind).String()
	return e
}

// bnsEventList is a page of events.
type bnsEventList struct {
	Marked
	Total      *int64     `json:"total,omitempty" doc:"Length of the whole list; absent for a namespace."`
	Events     []bnsEvent `json:"events" nullable:"false"`
	NextCursor *string    `json:"next_cursor" doc:"Leads to older events; null at the end."`
}

func (a *api) registerHistory() {
	get(a, engine.Operation{
		ID: "list-bns-name-events", Path: "/names/{name}/history", Summary: "What happened to a name, newest first",
		Description: "The history goes on when a burned name is registered again under another id.",
	}, a.nameHistory)
	get(a, engine.Operation{
		ID: "list-bns-namespace-events", Path: "/namespaces/{namespace}/history", Summary: "What happened to a namespace, newest first",
		Description: "Its own events, not those of its names.",
	}, a.namespaceHistory)
	get(a, engine.Operation{ID: "list-bns-events", Path: "/events", Summary: "What happened to all names and namespaces, newest first"}, a.allEvents)
}

func (a *api) nameHistory(ctx context.Context, s *engine.Snapshot, in *HistoryInput) (*bnsEventList, error) {
	name, limit := clean(in.Name), PageInput{Limit: in.Limit}.limit(limitOthers)
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, n.events::bigint FROM {bns}.name n WHERE n.full_name = $1 AND n.until_height IS NULL`, name)
	rows := engine.QueryPage(b, limit, eventColumns, `
		SELECT `+eventSQL+` FROM {bns}.event e WHERE e.full_name = $1 AND e.name_n <= $2 ORDER BY e.name_n DESC LIMIT $3`,
		name, in.from(), int64(limit+1))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n, ok := total.First()
	if !ok {
		return nil, errName
	}
	out := pageOfEvents(in.marked(), rows.Rows, limit, func(r *eventRow) int64 { return int64(*r.nameN) })
	out.Total = &n
	return out, nil
}

func (a *api) namespaceHistory(ctx context.Context, s *engine.Snapshot, in *NamespaceHistoryInput) (*bnsEventList, error) {
	of, limit := clean(in.Namespace), PageInput{Limit: in.Limit}.limit(limitOthers)
	b := s.Batch()
	known := queryNamespace(b, of)
	rows := engine.QueryPage(b, limit, eventColumns, `
		SELECT `+eventSQL+` FROM {bns}.event e WHERE e.namespace = $1 AND e.full_name IS NULL AND e.n <= $2 ORDER BY e.n DESC LIMIT $3`,
		of, in.from(), int64(limit+1))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(known.Rows) == 0 {
		return nil, errNamespace
	}
	return pageOfEvents(in.marked(), rows.Rows, limit, func(r *eventRow) int64 { return r.n }), nil
}

func (a *api) allEvents(ctx context.Context, s *engine.Snapshot, in *EventsInput) (*bnsEventList, error) {
	limit := PageInput{Limit: in.Limit}.limit(limitOthers)
	b := s.Batch()
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, b.events FROM {bns}.block b ORDER BY b.height DESC LIMIT 1`)
	rows := engine.QueryPage(b, limit, eventColumns, `
		SELECT `+eventSQL+` FROM {bns}.event e WHERE e.n <= $1 ORDER BY e.n DESC LIMIT $2`, in.from(), int64(limit+1))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	out := pageOfEvents(in.marked(), rows.Rows, limit, func(r *eventRow) int64 { return r.n })
	n, _ := total.First()
	out.Total = &n
	return out, nil
}

// pageOfEvents returns the page with the first rows, of which there may be one more than limit: that is the next page's
// first, and place its cursor.
func pageOfEvents(marked Marked, rows []eventRow, limit int, place func(*eventRow) int64) *bnsEventList {
	out := &bnsEventList{Marked: marked, Events: []bnsEvent{}}
	if len(rows) > limit {
		cursor := strconv.FormatInt(place(&rows[limit]), 10)
		out.NextCursor, rows = &cursor, rows[:limit]
	}
	for i := range rows {
		out.Events = append(out.Events, rows[i].shape())
	}
	return out
}
