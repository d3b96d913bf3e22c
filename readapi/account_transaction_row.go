package readapi

// placedTransaction joins what transactionSQL selects of the transaction that a row r of a list is about. Each is one look-up
// by a key, however many rows the planner expects.
const placedTransaction = `
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = p.source_seq LIMIT 1) b
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block c WHERE c.height = p.height LIMIT 1) c
		`

// placedSQL selects what placedColumns reads, of a row r of a list.
const placedSQL = `r.number, r.place, ` + transactionFields

func placedColumns(r *transactionRow) []any {
	return append([]any{&r.number, &r.place}, transactionColumns(r)...)
}

// queueListed adds the query for the transactions on a page of a list to a batch.
func queueListed(b *batch, l pagedList, p *asked, owner ...any) *result[transactionRow] {
	return query(b, placedColumns, `
		SELECT `+transactionSources+placedSQL+`
		FROM `+l.rowsSQL()+placedTransaction+l.order(), p.args(owner...)...)
}

// The bits of account_transaction.involvement that are told of.
const (
	involvedSender  = 1
	involvedSponsor = 2
	affectedSTX     = 64
	affectedFT      = 128
	affectedNFT     = 256
)

// accountTransaction is a transaction of an account.
type accountTransaction struct {
	transactionRow
	involvement int16
	// moved is how many events of each kind the account is a party of: transfers, mints and burns of STX, fungible and
	// non-fungible tokens.
	moved [9]int32
	// µSTX that events took from it and gave it, and that it paid as a fee.
	sent, received, paid string
}

// accountTransactionSQL selects what accountTransactionColumns reads, of a row r of the account's list.
const accountTransactionSQL = transactionSources + `r.involvement,
	coalesce(r.stx_transfers, 0), coalesce(r.stx_mints, 0), coalesce(r.stx_burns, 0),
	coalesce(r.ft_transfers, 0), coalesce(r.ft_mints, 0), coalesce(r.ft_burns, 0),
	coalesce(r.nft_transfers, 0), coalesce(r.nft_mints, 0), coalesce(r.nft_burns, 0),
	coalesce(r.stx_sent, 0)::text, coalesce(r.stx_received, 0)::text, coalesce(r.fee_paid, 0)::text, ` + placedSQL

func accountTransactionColumns(r *accountTransaction) []any {
	columns := []any{&r.involvement}
	for i := range r.moved {
		columns = append(columns, &r.moved[i])
	}
	return append(append(columns, &r.sent, &r.received, &r.paid), placedColumns(&r.transactionRow)...)
}

// queueAccountTransactions adds the query for the transactions on a page of an account's list to a batch.
func queueAccountTransactions(b *batch, p *asked, account string) *result[accountTransaction] {
	return query(b, accountTransactionColumns, `
		SELECT `+accountTransactionSQL+`
		FROM `+accountTransactions.rowsSQL()+placedTransaction+accountTransactions.order(), p.args(account)...)
}

// allSent is what the transaction took from the account, the fee included. The reference charges a sender with the fee
// even where a sponsor has paid it.
func (r *accountTransaction) allSent() amount { return addAmounts(r.sent, r.paid) }

// transactionsOf are the transactions in rows of an account's list, to be completed in place.
func transactionsOf(found *result[accountTransaction]) []*transactionRow {
	rows := make([]*transactionRow, len(found.rows))
	for i := range found.rows {
		rows[i] = &found.rows[i].transactionRow
	}
	return rows
}
