package view

import (
	"strata/readapi/internal/page"
)

// PlacedTransaction joins the tables that TransactionFields selects from to a row r of a list: its transaction t, the
// block b, and what is canonical, c. Every join is one look-up by a key, however many rows the planner expects.
const PlacedTransaction = `
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = p.source_seq LIMIT 1) b
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block c WHERE c.height = p.height LIMIT 1) c
		`

// PlacedSQL selects what PlacedColumns reads of a row r of a list. The source events must precede it.
const PlacedSQL = `r.number, r.place, ` + TransactionFields

// PlacedColumns returns the scan destinations for PlacedSQL.
func PlacedColumns(r *TransactionRow) []any {
	return append([]any{&r.Number, &r.Place}, TransactionColumns(r)...)
}

// ListReader returns a reader of the transactions of a list.
func ListReader(l page.List) *page.Reader[TransactionRow] {
	return page.NewReader(l, PlacedColumns, TransactionSources+PlacedSQL, PlacedTransaction)
}
