package view

import (
	"strata/readapi/internal/engine"
)

var (
	// TracedTransaction is the row of a transaction.
	TracedTransaction = &engine.TraceTable{
		Projection: "chain", Name: "transaction", Key: "source_seq tx_index", Order: "t.source_seq DESC, t.tx_index", Join: tracedPlace,
		Values:  "txid:hex status sender sponsor contract_id function_name fee:text nonce:text event_count",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/transactions/' || t.tx_index]`}, canonicalSource},
	}
	// TracedChainEvent is the row of an event of a transaction.
	TracedChainEvent = &engine.TraceTable{
		Projection: "chain", Name: "event", Key: "source_seq tx_index event_index", Order: "t.source_seq DESC, t.tx_index, t.event_index", Join: tracedPlace,
		Values:  "type asset_identifier contract_identifier topic sender recipient amount:text unlock_height value:hex memo:hex",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/events/' || t.pointer]`}, canonicalSource},
	}
	// TracedDeployment is the row of a contract.
	TracedDeployment = &engine.TraceTable{
		Projection: "chain", Name: "contract", Key: "contract_id source_seq tx_index", Order: "t.source_seq DESC, t.tx_index", Join: tracedPlace,
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
