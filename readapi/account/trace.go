package account

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// accountTransactionLookups returns the lookups for the rows behind transactions of an account's list.
func accountTransactionLookups(account string, rows []*view.TransactionRow) []engine.Lookup {
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = r.Number
	}
	return append([]engine.Lookup{accountRowsLookup("listed", view.TracedAccountTransaction, account, numbers)}, view.TransactionLookups(rows, nil)...)
}

// accountRowsLookup returns the lookup for the rows with the given numbers in one of the account's lists.
func accountRowsLookup(name string, table *engine.TraceTable, account string, numbers []int64) engine.Lookup {
	return engine.Lookup{
		Name: name, Table: table, Where: `t.account = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
		Args: []any{account, numbers}, NewestFirst: []string{"t.n"},
	}
}

// accountEventLookups returns the lookups for the rows behind events of an account's two lists.
func accountEventLookups(account string, events []view.EventBody) []engine.Lookup {
	var moves, prints []int64
	rows := make([]*view.TransactionRow, len(events))
	for i := range events {
		rows[i] = &view.TransactionRow{RowKey: events[i].Row.RowKey}
		if events[i].Printed {
			prints = append(prints, events[i].Number)
		} else {
			moves = append(moves, events[i].Number)
		}
	}
	lookups := []engine.Lookup{accountRowsLookup("listed", view.TracedAccountEvent, account, moves)}
	if prints != nil {
		lookups = append(lookups, engine.Lookup{
			Name: "printed", Table: view.TracedContractEvent, Where: `t.contract = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
			Args: []any{account, prints}, NewestFirst: []string{"t.n"},
		})
	}
	return append(lookups, view.TransactionLookups(rows, view.EventKeys(events))...)
}
