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

// FoundLookups returns the look-ups of the rows behind transactions, mined or not, and behind events of the mined ones.
func FoundLookups(found []FoundTransaction, events []EventKey) []engine.Lookup {
	var mined []*TransactionRow
	var waiting []*WaitingRow
	for _, f := range found {
		if f.Waiting != nil {
			waiting = append(waiting, f.Waiting)
		} else {
			mined = append(mined, f.Mined)
		}
	}
	if len(mined) == 0 {
		return WaitingLookups(waiting)
	}
	return append(TransactionLookups(mined, events), WaitingLookups(waiting)...)
}

// WaitingLookups returns the look-ups of the rows behind transactions that are not mined.
func WaitingLookups(rows []*WaitingRow) []engine.Lookup {
	if len(rows) == 0 {
		return nil
	}
	ids := make([][]byte, len(rows))
	for i, r := range rows {
		ids[i] = r.ID[:]
	}
	return []engine.Lookup{{Name: "waiting", Table: tracedWaiting, Where: `t.txid = ANY ($1)`, Args: []any{ids}, Order: `t.txid`}}
}
