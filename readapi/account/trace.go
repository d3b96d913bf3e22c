package account

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

// showTransactions says that the answer shows transactions of an account's list.
func showTransactions(s *engine.Snapshot, account string, rows []*view.TransactionRow) {
	s.TraceRows(func() []engine.Lookup { return transactionLookups(account, rows) })
}

// showEvents says that the answer shows events of an account's two lists.
func showEvents(s *engine.Snapshot, account string, events []listedEvent) {
	s.TraceRows(func() []engine.Lookup { return eventLookups(account, events) })
}

// transactionLookups returns the lookups for the rows behind transactions of an account's list.
func transactionLookups(account string, rows []*view.TransactionRow) []engine.Lookup {
	if len(rows) == 0 {
		return nil
	}
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = r.Number
	}
	return append([]engine.Lookup{rowsLookup("listed", view.TracedAccountTransaction, account, numbers)}, view.TransactionLookups(rows, nil)...)
}

// rowsLookup returns the lookup for the rows with the given numbers in one of the account's lists.
func rowsLookup(name string, table *engine.TraceTable, account string, numbers []int64) engine.Lookup {
	return engine.Lookup{
		Name: name, Table: table, Where: `t.account = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
		Args: []any{account, numbers}, NewestFirst: []string{"t.n"},
	}
}

// eventLookups returns the lookups for the rows behind events of an account's two lists.
func eventLookups(account string, events []listedEvent) []engine.Lookup {
	if len(events) == 0 {
		return nil
	}
	var moves, prints []int64
	keys := make([]view.EventKey, len(events))
	for i := range events {
		e := &events[i]
		keys[i] = e.EventKey()
		if e.printed {
			prints = append(prints, e.number)
		} else {
			moves = append(moves, e.number)
		}
	}
	lookups := []engine.Lookup{rowsLookup("listed", view.TracedAccountEvent, account, moves)}
	if prints != nil {
		lookups = append(lookups, engine.Lookup{
			Name: "printed", Table: view.TracedContractEvent, Where: `t.contract = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
			Args: []any{account, prints}, NewestFirst: []string{"t.n"},
		})
	}
	return append(lookups, view.EventLookups(keys)...)
}
