package account

import (
	"strata/domain/activity"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// memberRow is a transaction that involves an account.
type memberRow struct {
	view.TransactionRow
	involvement activity.Involvement
	// moved counts the events to which the account is a party, by kind: moved[k-1] counts those of the kind k.
	moved [activity.CountedKinds]int32
	// Amounts in µSTX: what events took from the account, what they gave it, and the fee that it paid.
	sent, received, paid string
}

// memberSQL selects what memberColumns reads of a row r of the account's list.
const memberSQL = view.TransactionSources + `r.involvement,
	coalesce(r.stx_transfers, 0), coalesce(r.stx_mints, 0), coalesce(r.stx_burns, 0),
	coalesce(r.ft_transfers, 0), coalesce(r.ft_mints, 0), coalesce(r.ft_burns, 0),
	coalesce(r.nft_transfers, 0), coalesce(r.nft_mints, 0), coalesce(r.nft_burns, 0),
	coalesce(r.stx_sent, 0)::text, coalesce(r.stx_received, 0)::text, coalesce(r.fee_paid, 0)::text, ` + view.PlacedSQL

func memberColumns(r *memberRow) []any {
	columns := []any{&r.involvement}
	for i := range r.moved {
		columns = append(columns, &r.moved[i])
	}
	return append(append(columns, &r.sent, &r.received, &r.paid), view.PlacedColumns(&r.TransactionRow)...)
}

// Readers of an account's list of transactions: with what they are to the account, and without.
var (
	members      = page.NewReader(&view.AccountTransactions, memberColumns, memberSQL, view.PlacedTransaction)
	transactions = view.ListReader(&view.AccountTransactions)
)

// allSent returns what the transaction took from the account, including the fee that it paid. The reference charges the
// fee to the sender even when a sponsor paid it.
func (r *memberRow) allSent() schema.Amount { return schema.AddAmounts(r.sent, r.paid) }

// transactionsOf returns pointers to the transactions in the rows, so that view.Complete can fill them in.
func transactionsOf(found []memberRow) []*view.TransactionRow {
	rows := make([]*view.TransactionRow, len(found))
	for i := range found {
		rows[i] = &found[i].TransactionRow
	}
	return rows
}
