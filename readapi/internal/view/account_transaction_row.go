package view

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// PlacedTransaction joins the tables that transactionFields selects from to a row r of a list: its transaction t, the
// block b, and what is canonical, c. Every join is one look-up by a key, however many rows the planner expects.
const PlacedTransaction = `
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.transaction p WHERE p.n = r.place LIMIT 1) p
		CROSS JOIN LATERAL (SELECT * FROM {chain}.transaction t WHERE t.source_seq = p.source_seq AND t.tx_index = p.tx_index LIMIT 1) t
		CROSS JOIN LATERAL (SELECT * FROM {chain}.block b WHERE b.source_seq = p.source_seq LIMIT 1) b
		CROSS JOIN LATERAL (SELECT * FROM {accounts}.block c WHERE c.height = p.height LIMIT 1) c
		`

// PlacedSQL selects what PlacedColumns reads of a row r of a list. The source events must precede it.
const PlacedSQL = `r.number, r.place, ` + transactionFields

// PlacedColumns returns the scan destinations for PlacedSQL.
func PlacedColumns(r *TransactionRow) []any {
	return append([]any{&r.Number, &r.Place}, TransactionColumns(r)...)
}

// QueueListed adds the query for the transactions on a page of a list to a batch.
func QueueListed(b *engine.Batch, l page.List, p *page.Request, owner ...any) *engine.Result[TransactionRow] {
	return engine.Query(b, PlacedColumns, `
		SELECT `+TransactionSources+PlacedSQL+`
		FROM `+l.RowsSQL()+PlacedTransaction+l.Order(), p.Args(owner...)...)
}

// Bits of account_transaction.involvement that this API shows.
const (
	InvolvedSender  = 1
	InvolvedSponsor = 2
	AffectedSTX     = 64
	AffectedFT      = 128
	AffectedNFT     = 256
)

// AccountTransaction is a transaction that involves an account.
type AccountTransaction struct {
	TransactionRow
	Involvement int16
	// Moved counts the events to which the account is a party: transfers, mints and burns of STX, of fungible and of
	// non-fungible tokens, in this order.
	Moved [9]int32
	// Amounts in µSTX: what events took from the account, what they gave it, and the fee that it paid.
	sent, Received, paid string
}

// AccountTransactionSQL selects what AccountTransactionColumns reads of a row r of the account's list.
const AccountTransactionSQL = TransactionSources + `r.involvement,
	coalesce(r.stx_transfers, 0), coalesce(r.stx_mints, 0), coalesce(r.stx_burns, 0),
	coalesce(r.ft_transfers, 0), coalesce(r.ft_mints, 0), coalesce(r.ft_burns, 0),
	coalesce(r.nft_transfers, 0), coalesce(r.nft_mints, 0), coalesce(r.nft_burns, 0),
	coalesce(r.stx_sent, 0)::text, coalesce(r.stx_received, 0)::text, coalesce(r.fee_paid, 0)::text, ` + PlacedSQL

// AccountTransactionColumns returns the scan destinations for AccountTransactionSQL.
func AccountTransactionColumns(r *AccountTransaction) []any {
	columns := []any{&r.Involvement}
	for i := range r.Moved {
		columns = append(columns, &r.Moved[i])
	}
	return append(append(columns, &r.sent, &r.Received, &r.paid), PlacedColumns(&r.TransactionRow)...)
}

// QueueAccountTransactions adds the query for the transactions on a page of an account's list to a batch.
func QueueAccountTransactions(b *engine.Batch, p *page.Request, account string) *engine.Result[AccountTransaction] {
	return engine.Query(b, AccountTransactionColumns, `
		SELECT `+AccountTransactionSQL+`
		FROM `+AccountTransactions.RowsSQL()+PlacedTransaction+AccountTransactions.Order(), p.Args(account)...)
}

// AllSent returns what the transaction took from the account, including the fee that it paid. The reference charges the
// fee to the sender even when a sponsor paid it.
func (r *AccountTransaction) AllSent() schema.Amount { return schema.AddAmounts(r.sent, r.paid) }

// TransactionsOf returns pointers to the transactions in the rows, so that Complete can fill them in.
func TransactionsOf(found *engine.Result[AccountTransaction]) []*TransactionRow {
	rows := make([]*TransactionRow, len(found.Rows))
	for i := range found.Rows {
		rows[i] = &found.Rows[i].TransactionRow
	}
	return rows
}
