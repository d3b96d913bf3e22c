package ordinals

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// ordinalOperation returns the SQL expression for the JSON pointer of an operation in its event of the feed. b is the
// block of the operation; l is the alias of the row that has its transaction and operation indexes.
func ordinalOperation(l string) string {
	return `ARRAY['/apply/' || b.block_index || '/transactions/' || ` + l + `."transaction" || '/metadata/ordinal_operations/' || ` + l + `.operation]`
}

var (
	tracedInscribedBlock = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "block", Key: "height", NewestFirst: []string{"t.height"}, Values: "block_hash:hex time reveals moves",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	tracedInscription = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "inscription", Key: "id", Join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		Values:  "number classic_number sat height tx_index content_type content_length fee genesis_address delegate",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("t")}},
		// As in the answer, whose rows are the argument of the look-up.
		Order: `(SELECT min(shown.n) FROM json_array_elements($1::json) WITH ORDINALITY AS shown (key, n) WHERE shown.key ->> 'id' = t.id)`,
	}
	tracedLocation = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "location", Key: "sat height tx_index", Order: `t.height DESC, t.tx_index DESC, t.sat`, Join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		Values:  "txid:hex output_txid:hex vout sat_offset value address",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("t")}},
	}
	// The current place of a satoshi is its last location.
	tracedSatoshi = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "satoshi", Key: "sat", Values: "height tx_index inscriptions output_txid:hex vout",
		Join: `JOIN {inscriptions}.location l ON l.sat = t.sat AND l.height = t.height AND l.tx_index = t.tx_index
			JOIN {inscriptions}.block b ON b.height = t.height`,
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("l")}},
	}
)
