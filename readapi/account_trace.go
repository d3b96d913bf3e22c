package readapi

var (
	tracedListed = &tracedTable{
		projection: "accounts", name: "transaction", key: "n",
		values:  "height tx_index microblock_sequence type type_n",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/transactions/' || t.tx_index]`}},
	}
	tracedAccountTransaction = &tracedTable{
		projection: "accounts", name: "account_transaction", key: "account n", join: `JOIN {accounts}.transaction p ON p.n = t.tx`,
		values:  "tx involvement calls stx_sent:text stx_received:text fee_paid:text stx_transfers stx_mints stx_burns ft_transfers ft_mints ft_burns nft_transfers nft_mints nft_burns",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/transactions/' || p.tx_index]`}},
	}
	tracedAccountEvent = &tracedTable{
		projection: "accounts", name: "account_event", key: "account n", join: `
			JOIN {accounts}.transaction p ON p.n = t.tx
			JOIN {chain}.event e ON e.source_seq = p.source_seq AND e.tx_index = p.tx_index AND e.event_index = t.event_index`,
		values:  "tx event_index kind inbound transfer_type",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/events/' || e.pointer]`}},
	}
	tracedContractEvent = &tracedTable{
		projection: "accounts", name: "contract_event", key: "contract n", join: tracedAccountEvent.join,
		values:  "tx event_index sender topic topic_n",
		sources: tracedAccountEvent.sources,
	}
)

// rowsShown are the rows of transactions that are shown.
func rowsShown(shown []transactionBody) []*transactionRow {
	rows := make([]*transactionRow, len(shown))
	for i := range shown {
		rows[i] = shown[i].row
	}
	return rows
}

// listedLookups are the rows behind transactions of the list of all.
func listedLookups(rows []*transactionRow) []lookup {
	places := make([]int64, len(rows))
	for i, r := range rows {
		places[i] = r.place
	}
	return append([]lookup{
		{name: "listed", table: tracedListed, where: `t.n = ANY ($1)`, args: []any{places}, newestFirst: []string{"t.n"}},
	}, transactionLookups(rows, nil)...)
}

// accountTransactionLookups are the rows behind transactions of an account's list.
func accountTransactionLookups(account string, rows []*transactionRow) []lookup {
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = r.number
	}
	return append([]lookup{ofAccount("listed", tracedAccountTransaction, account, numbers)}, transactionLookups(rows, nil)...)
}

// ofAccount finds rows of a list of an account by their numbers.
func ofAccount(name string, table *tracedTable, account string, numbers []int64) lookup {
	return lookup{
		name: name, table: table, where: `t.account = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
		args: []any{account, numbers}, newestFirst: []string{"t.n"},
	}
}

// accountEventLookups are the rows behind events of an account's lists.
func accountEventLookups(account string, events []eventBody) []lookup {
	var moves, prints []int64
	rows := make([]*transactionRow, len(events))
	for i := range events {
		rows[i] = &transactionRow{rowKey: events[i].row.rowKey}
		if events[i].printed {
			prints = append(prints, events[i].number)
		} else {
			moves = append(moves, events[i].number)
		}
	}
	lookups := []lookup{ofAccount("listed", tracedAccountEvent, account, moves)}
	if prints != nil {
		lookups = append(lookups, lookup{
			name: "printed", table: tracedContractEvent, where: `t.contract = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n = ANY ($2)`,
			args: []any{account, prints}, newestFirst: []string{"t.n"},
		})
	}
	return append(lookups, transactionLookups(rows, eventKeys(events))...)
}
