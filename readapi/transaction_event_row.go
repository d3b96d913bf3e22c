package readapi

import "math"

// eventRow is an event of a transaction as the table has it.
type eventRow struct {
	rowKey
	number            int32 // among the events of its transaction
	unlockHeight      *int64
	amount            *string
	kind              string // stx_transfer_event, …
	asset, contract   *string
	topic             *string
	sender, recipient *string
	value, memo       []byte
}

// eventSQL selects what eventColumns reads, of the event e.
const eventSQL = `ARRAY[e.source_seq], e.source_seq, e.tx_index, e.event_index, e.unlock_height, e.amount::text, e.type,
	e.asset_identifier, e.contract_identifier, e.topic, e.sender, e.recipient, e.value, e.memo `

func eventColumns(e *eventRow) []any {
	return []any{
		&e.seq, &e.index, &e.number, &e.unlockHeight, &e.amount, &e.kind,
		&e.asset, &e.contract, &e.topic, &e.sender, &e.recipient, &e.value, &e.memo,
	}
}

// operationEventsMost is how many events of an operation from Bitcoin are looked at: they have three at most.
const operationEventsMost = 16

// queueEventsOf adds the query for the events of operations from Bitcoin to a batch.
func queueEventsOf(b *batch, keys []rowKey) *result[eventRow] {
	return queueEventWindow(b, keys, 0, operationEventsMost)
}

// queueEventWindow adds the query for a page of the events of each of some transactions to a batch: the same place in all
// of them. Events are numbered, so that a page at any depth is a range of the key.
func queueEventWindow(b *batch, keys []rowKey, offset int64, limit int) *result[eventRow] {
	seqs, indexes := keyColumns(keys)
	from := min(offset, math.MaxInt32)
	return query(b, eventColumns, `
		SELECT `+eventSQL+`
		FROM unnest($1::bigint[], $2::int[]) AS k (source_seq, tx_index)
		JOIN {chain}.event e ON e.source_seq = k.source_seq AND e.tx_index = k.tx_index AND e.event_index >= $3::bigint AND e.event_index < $4::bigint
		ORDER BY e.source_seq, e.tx_index, e.event_index`, seqs, indexes, from, from+int64(limit))
}

// byTransaction sorts events by their transactions; they stay in their order.
func byTransaction(events []eventRow) map[rowKey][]eventRow {
	sorted := map[rowKey][]eventRow{}
	for _, e := range events {
		sorted[e.rowKey] = append(sorted[e.rowKey], e)
	}
	return sorted
}
