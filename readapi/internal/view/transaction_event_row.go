package view

import (
	"math"

	"strata/readapi/internal/engine"
)

// eventRow is an event of a transaction as the table has it.
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

// eventSQL selects what eventColumns reads, of the event e.
const EventSQL = `ARRAY[e.source_seq], e.source_seq, e.tx_index, e.event_index, e.unlock_height, e.amount::text, e.type,
	e.asset_identifier, e.contract_identifier, e.topic, e.sender, e.recipient, e.value, e.memo `

func EventColumns(e *EventRow) []any {
	return []any{
		&e.Seq, &e.Index, &e.Number, &e.UnlockHeight, &e.Amount, &e.Kind,
		&e.Asset, &e.Contract, &e.Topic, &e.Sender, &e.Recipient, &e.Value, &e.Memo,
	}
}

// operationEventsMost is how many events of an operation from Bitcoin are looked at: they have three at most.
const operationEventsMost = 16

// queueEventsOf adds the query for the events of operations from Bitcoin to a batch.
func queueEventsOf(b *engine.Batch, keys []RowKey) *engine.Result[EventRow] {
	return QueueEventWindow(b, keys, 0, operationEventsMost)
}

// queueEventWindow adds the query for a page of the events of each of some transactions to a batch: the same place in all
// of them. Events are numbered, so that a page at any depth is a range of the key.
func QueueEventWindow(b *engine.Batch, keys []RowKey, offset int64, limit int) *engine.Result[EventRow] {
	seqs, indexes := KeyColumns(keys)
	from := min(offset, math.MaxInt32)
	return engine.Query(b, EventColumns, `
		SELECT `+EventSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		JOIN {chain}.event e ON e.source_seq = k.source_seq AND e.tx_index = k.tx_index AND e.event_index >= $3::bigint AND e.event_index < $4::bigint
		ORDER BY e.source_seq, e.tx_index, e.event_index`, seqs, indexes, from, from+int64(limit))
}

// byTransaction sorts events by their transactions; they stay in their order.
func ByTransaction(events []EventRow) map[RowKey][]EventRow {
	sorted := map[RowKey][]EventRow{}
	for _, e := range events {
		sorted[e.RowKey] = append(sorted[e.RowKey], e)
	}
	return sorted
}
