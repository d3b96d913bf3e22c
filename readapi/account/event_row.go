package account

import (
	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

// listedEvent is an event on a page of a list.
type listedEvent struct {
	view.EventRow
	number int64 // in the list
	place  int64 // of its transaction among all
	height int64
	id     hash.Hash32 // of its transaction
}

// placedEvent joins the event e that a row r of a list is about, and its transaction.
const placedEvent = `
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
		CROSS JOIN LATERAL (SELECT txid FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index LIMIT 1
		) e
		`

// placedEventSQL selects what listedEventColumns reads.
const placedEventSQL = view.EventSQL + `, r.number, r.place, p.height, t.txid `

func listedEventColumns(e *listedEvent) []any {
	return append(view.EventColumns(&e.EventRow), &e.number, &e.place, &e.height, &e.id)
}

// queueListedEvents adds the query for the events on a page of a list to a batch.
func queueListedEvents(b *engine.Batch, l page.List, p *page.Request, owner ...any) *engine.Result[listedEvent] {
	return engine.Query(b, listedEventColumns, `
		SELECT `+placedEventSQL+`
		FROM `+l.RowsSQL()+placedEvent+l.Order(), p.Args(owner...)...)
}
