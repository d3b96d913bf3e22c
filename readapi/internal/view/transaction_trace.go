package view

import (
	"strata/readapi/internal/engine"
)

var (
	// TracedTransaction is the row of a transaction.
	TracedTransaction = &engine.TraceTable{
		Projection: "chain", Name: "transaction", Key: "source_seq tx_index", Join: tracedPlace,
		Values:  "txid:hex status sender sponsor contract_id function_name fee:text nonce:text event_count",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
	// TracedChainEvent is the row of an event of a transaction.
	TracedChainEvent = &engine.TraceTable{
		Projection: "chain", Name: "event", Key: "source_seq tx_index event_index", Join: tracedPlace,
		Values:  "type asset_identifier contract_identifier topic sender recipient amount:text unlock_height value:hex memo:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || t.pointer]`}, canonicalSource},
	}
	// TracedDeployment is the row of a contract.
	TracedDeployment = &engine.TraceTable{
		Projection: "chain", Name: "contract", Key: "contract_id source_seq tx_index", Join: tracedPlace,
		Values: "clarity_version",
		Sources: []engine.TraceSource{
			{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource,
			// Tables of earlier rules do not have the column.
			{Column: "interface_seq", SQL: `(to_jsonb(t) ->> 'interface_seq')::bigint`, Pointers: `ARRAY['/exchanges']`},
		},
	}
)

// TraceTables makes the tables known that several resources show.
func TraceTables(e *engine.Engine) {
	e.TraceTables(tracedBlock, tracedCanonical, tracedListed, TracedAccountTransaction, TracedAccountEvent, TracedContractEvent, TracedTransaction, TracedChainEvent, TracedDeployment, tracedWaiting)
}

// tracedPlace joins the row that makes the block of a row canonical, if the block is.
const tracedPlace = `LEFT JOIN {chain}.canonical place ON place.block_seq = t.source_seq`

var canonicalSource = engine.TraceSource{Column: "canonical", SQL: "place.source_seq", Pointers: engine.WholeEvent}

// EventKey is the key of an event in its table.
type EventKey struct {
	RowKey
	Number int32
}

// EventKey returns the key of the event.
func (e *EventRow) EventKey() EventKey { return EventKey{e.RowKey, e.Number} }

// EventKeys returns the keys of events.
func EventKeys(events []EventRow) []EventKey {
	keys := make([]EventKey, len(events))
	for i := range events {
		keys[i] = events[i].EventKey()
	}
	return keys
}

// RowKeys returns the keys of transactions.
func RowKeys(rows []*TransactionRow) []RowKey {
	keys := make([]RowKey, len(rows))
	for i, r := range rows {
		keys[i] = r.RowKey
	}
	return keys
}

// RowLookups returns the look-ups of the rows behind transactions; none for none.
func RowLookups(rows []*TransactionRow) []engine.Lookup {
	if len(rows) == 0 {
		return nil
	}
	return TransactionLookups(rows, nil)
}

// EventLookups returns the look-ups of the rows behind events and their transactions; none for none.
func EventLookups(events []EventKey) []engine.Lookup {
	if len(events) == 0 {
		return nil
	}
	rows := make([]*TransactionRow, len(events))
	for i := range events {
		rows[i] = &TransactionRow{RowKey: events[i].RowKey}
	}
	return TransactionLookups(rows, events)
}

// TransactionLookups returns the look-ups of the rows behind transactions and events.
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

// KeyedLookup returns the look-up of the rows of a table that belong to the given transactions.
func KeyedLookup(name string, table *engine.TraceTable, keys []RowKey) engine.Lookup {
	seqs, indexes := KeyColumns(keys)
	return engine.Lookup{
		Name: name, Table: table,
		Where: `(t.source_seq, t.tx_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))`,
		Args:  []any{seqs, indexes}, Order: `t.source_seq DESC, t.tx_index`,
	}
}
