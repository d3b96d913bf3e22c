package readapi

var (
	tracedTransaction = &tracedTable{
		projection: "chain", name: "transaction", key: "source_seq tx_index", join: tracedPlace,
		values:  "txid:hex status sender sponsor contract_id function_name fee:text nonce:text event_count",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
	tracedChainEvent = &tracedTable{
		projection: "chain", name: "event", key: "source_seq tx_index event_index", join: tracedPlace,
		values:  "type asset_identifier contract_identifier topic sender recipient amount:text unlock_height value:hex memo:hex",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/events/' || t.pointer]`}, canonicalSource},
	}
	tracedDeployment = &tracedTable{
		projection: "chain", name: "contract", key: "contract_id source_seq tx_index", join: tracedPlace,
		values:  "clarity_version",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
)

// tracedPlace joins what made the block of a row canonical, if it is.
const tracedPlace = `LEFT JOIN {chain}.canonical place ON place.block_seq = t.source_seq`

var canonicalSource = tracedSource{column: "canonical", sql: "place.source_seq", pointers: wholeEvent}

// eventKey names an event.
type eventKey struct {
	rowKey
	number int32
}

func (e eventBody) key() eventKey { return eventKey{e.row.rowKey, e.row.number} }
func (e eventV3) key() eventKey   { return eventKey{e.row.rowKey, e.row.number} }

func eventKeys[E interface{ key() eventKey }](events []E) []eventKey {
	keys := make([]eventKey, len(events))
	for i, e := range events {
		keys[i] = e.key()
	}
	return keys
}

func rowKeys(rows []*transactionRow) []rowKey {
	keys := make([]rowKey, len(rows))
	for i, r := range rows {
		keys[i] = r.rowKey
	}
	return keys
}

// transactionLookups are the rows behind transactions and their events.
func transactionLookups(rows []*transactionRow, events []eventKey) []lookup {
	lookups := []lookup{keyedLookup("transaction", tracedTransaction, rowKeys(rows))}
	if len(events) == 0 {
		return lookups
	}
	keys, numbers := make([]rowKey, len(events)), make([]int32, len(events))
	for i, e := range events {
		keys[i], numbers[i] = e.rowKey, e.number
	}
	seqs, indexes := keyColumns(keys)
	return append(lookups, lookup{
		name: "event", table: tracedChainEvent,
		where: `(t.source_seq, t.tx_index, t.event_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[]))`,
		args:  []any{seqs, indexes, numbers}, order: `t.source_seq DESC, t.tx_index, t.event_index`,
	})
}

// keyedLookup finds rows by the transactions that they are of.
func keyedLookup(name string, table *tracedTable, keys []rowKey) lookup {
	seqs, indexes := keyColumns(keys)
	return lookup{
		name: name, table: table,
		where: `(t.source_seq, t.tx_index) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))`,
		args:  []any{seqs, indexes}, order: `t.source_seq DESC, t.tx_index`,
	}
}
