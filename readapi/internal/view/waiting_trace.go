package view

import (
	"strata/readapi/internal/engine"
)

var tracedWaiting = &engine.TraceTable{
	Projection: "mempool", Name: "transaction", Key: "txid:hex",
	Values: "status dropped_status sender sponsor recipient contract_id fee:text nonce:text receipt_time receipt_height mined_height taken_height expired_height dropped_for:hex taken_by:hex",
	Sources: []engine.TraceSource{
		{Column: "source_seq", Pointers: `ARRAY['/' || t.pointer]`},
		{Column: "dropped_seq", Pointers: engine.WholeEvent},
	},
}
