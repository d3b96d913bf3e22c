package readapi

var tracedWaiting = &tracedTable{
	projection: "mempool", name: "transaction", key: "txid:hex",
	values: "status sender sponsor recipient contract_id fee:text nonce:text receipt_time receipt_height mined_height taken_height expired_height dropped_for:hex taken_by:hex",
	sources: []tracedSource{
		{column: "source_seq", pointers: `ARRAY['/' || t.pointer]`},
		{column: "dropped_seq", pointers: wholeEvent},
	},
}

// waitingLookups are the rows behind transactions that are not mined.
func waitingLookups(rows []*waitingRow) []lookup {
	if len(rows) == 0 {
		return nil
	}
	ids := make([][]byte, len(rows))
	for i, r := range rows {
		ids[i] = r.id[:]
	}
	return []lookup{{name: "waiting", table: tracedWaiting, where: `t.txid = ANY ($1)`, args: []any{ids}, order: `t.txid`}}
}
