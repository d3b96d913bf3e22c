package account

import (
	"strata/domain/hash"
	"strata/readapi/internal/page"
	"strata/readapi/internal/view"
)

// listedEvent is an event in a list of an account's events.
type listedEvent struct {
	view.EventRow
	number int64 // in the list
	place  int64 // number of its transaction in the chain
	height int64
	id     hash.Hash32 // of its transaction
	// printed says that the event is in the list of those that the account printed, and not of those it is a party of.
	printed bool
}

// placedEventJoin joins the event e of a row r of a list, the place p of its transaction, and the transaction t.
const placedEventJoin = `
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
		CROSS JOIN LATERAL (SELECT txid FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (
			SELECT * FROM {chain}.event e WHERE e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = r.event_index LIMIT 1
		) e
		`

// placedEventSQL is the select list for listedEventColumns.
const placedEventSQL = view.EventSQL + `, r.number, r.place, p.height, t.txid `

func listedEventColumns(e *listedEvent) []any {
	return append(view.EventColumns(&e.EventRow), &e.number, &e.place, &e.height, &e.id)
}

// accountEvents reads the events to which an account is a party.
var accountEvents = page.NewReader(&view.AccountEvents, listedEventColumns, placedEventSQL, placedEventJoin)
