package view

import (
	"strata/readapi/internal/engine"
)

var (
	TracedTransaction = &engine.TraceTable{
		Projection: "chain", Name: "transaction", Key: "source_seq tx_index", Join: tracedPlace,
		Values:  "txid:hex status sender sponsor contract_id function_name fee:text nonce:text event_count",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
	TracedChainEvent = &engine.TraceTable{
		Projection: "chain", Name: "event", Key: "source_seq tx_index event_index", Join: tracedPlace,
		Values:  "type asset_identifier contract_identifier topic sender recipient amount:text unlock_height value:hex memo:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || t.pointer]`}, canonicalSource},
	}
	TracedDeployment = &engine.TraceTable{
		Projection: "chain", Name: "contract", Key: "contract_id source_seq tx_index", Join: tracedPlace,
		Values:  "clarity_version",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
)

// tracedPlace joins what made the block of a row canonical, if it is.
const tracedPlace = `LEFT JOIN {chain}.canonical place ON place.block_seq = t.source_seq`

var canonicalSource = engine.TraceSource{Column: "canonical", Sql: "place.source_seq", Pointers: engine.WholeEvent}

// eventKey names an event.
type EventKey struct {
	RowKey
	Number int32
}

func (e EventBody) EventKey() EventKey { return EventKey{e.Row.RowKey, e.Row.Number} }

func EventKeys[E interface{ EventKey() EventKey }](events []E) []EventKey {
	keys := make([]EventKey, len(events))
	for i, e := range events {
		keys[i] = e.EventKey()
	}
	return keys
}

func RowKeys(rows []*TransactionRow) []RowKey {
	keys := make([]RowKey, len(rows))
	for i, r := range rows {
		keys[i] = r.RowKey
	}
	return keys
}

// transactionLookups are the rows behind transactions and their events.
func TransactionLookups(rows []*TransactionRow, events []EventKey) []engine.Lookup {
	lookups := []engine.Lookup{KeyedLookup("transaction", TracedTransaction, RowKeys(rows))}
	if len(events) == 0 {
		return lookups
	}
	keys, numbers := make([]RowKey, len(events)), make([]int32, len(events))
	for i, e := range events {
		keys[i], numbers[i] = e.RowKey, e.Number
	}
	seqs, indexes := KeyColumns(keys)
	return append(lookups, engine.Lookup{
		Name: "event", Table: TracedChainEvent,
		Where: `(t.source_seq, t.tx_index, t.event_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[]))`,
		Args:  []any{seqs, indexes, numbers}, Order: `t.source_seq DESC, t.tx_index, t.event_index`,
	})
}

// keyedLookup finds rows by the transactions that they are of.
func KeyedLookup(name string, table *engine.TraceTable, keys []RowKey) engine.Lookup {
	seqs, indexes := KeyColumns(keys)
	return engine.Lookup{
		Name: name, Table: table,
		Where: `(t.source_seq, t.tx_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))`,
		Args:  []any{seqs, indexes}, Order: `t.source_seq DESC, t.tx_index`,
	}
}
