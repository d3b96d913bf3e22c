package view

import (
	"math"

	"strata/readapi/internal/engine"
)

// EventRow is an event of a transaction as it is read from the table.
type EventRow struct {
	RowKey
	Number            int32 // among the events of its transaction
	UnlockHeight      *int64
	Amount            *string
	Kind              string // stx_transfer_event, …
	Asset, Contract   *string
	Topic             *string
	Sender, Recipient *string
	Value, Memo       []byte
}

// EventSQL selects the source events and what EventColumns reads of the event e.
const EventSQL = `{chain.event e, chain.transaction e}, e.source_seq, e.tx_index, e.event_index, e.unlock_height, e.amount::text, e.type,
	e.asset_identifier, e.contract_identifier, e.topic, e.sender, e.recipient, e.value, e.memo `

// EventColumns returns the scan destinations for EventSQL, except the source events.
func EventColumns(e *EventRow) []any {
	return []any{
		&e.Seq, &e.Index, &e.Number, &e.UnlockHeight, &e.Amount, &e.Kind,
		&e.Asset, &e.Contract, &e.Topic, &e.Sender, &e.Recipient, &e.Value, &e.Memo,
	}
}

// operationEventsMax is the number of events that are read of an operation from Bitcoin. Such an operation has three at
// most.
const operationEventsMax = 16

// queueEventsOf adds the query for the events of operations from Bitcoin to a batch.
func queueEventsOf(b *engine.Batch, keys []RowKey) *engine.Result[EventRow] {
	return QueueEventWindow(b, keys, 0, operationEventsMax)
}

// QueueEventWindow adds the query for a page of each transaction's events to a batch. Offset and limit apply to each
// transaction. Events are numbered, so a page at any depth is a range of the key.
func QueueEventWindow(b *engine.Batch, keys []RowKey, offset int64, limit int) *engine.Result[EventRow] {
	seqs, indexes := KeyColumns(keys)
	from := min(offset, math.MaxInt32)
	return engine.Query(b, EventColumns, `
		SELECT `+EventSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		JOIN {chain}.event e ON e.source_seq = k.source_seq AND e.tx_index = k.tx_index AND e.event_index >= $3::bigint AND e.event_index < $4::bigint
		ORDER BY e.source_seq, e.tx_index, e.event_index`, seqs, indexes, from, from+int64(limit))
}

// ByTransaction groups events by their transactions. Within a group they keep their order.
func ByTransaction(events []EventRow) map[RowKey][]EventRow {
	groups := map[RowKey][]EventRow{}
	for _, e := range events {
		groups[e.RowKey] = append(groups[e.RowKey], e)
	}
	return groups
}
