package view

import (
	"strconv"

	"strata/domain/activity"
	"strata/readapi/internal/page"
)

// AccountID is the SQL expression for the number of the account that the first argument of a list names.
const AccountID = `(SELECT a.id FROM {accounts}.account a WHERE a.account = $9)`

var (
	// AllTransactions lists all canonical transactions.
	AllTransactions = page.Numbered{Table: `{accounts}.transaction`, Number: "n", Tx: "n", Rows: `true`}
	// AccountTransactions lists the transactions that involve the account.
	AccountTransactions = page.Numbered{Table: `{accounts}.account_transaction`, Number: "n", Tx: "tx", Rows: `r.account = ` + AccountID}
	// AccountCalls lists the transactions that call the account, which is a contract.
	AccountCalls = page.Numbered{Table: `{accounts}.account_transaction`, Number: "calls", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND ` + Involved("r", activity.Called)}
	// AccountEvents lists the events to which the account is a party.
	AccountEvents = page.Numbered{Table: `{accounts}.account_event`, Number: "n", Tx: "tx", Rows: `r.account = ` + AccountID}
	// InboundEvents lists the events that transferred STX to the account.
	InboundEvents = page.Numbered{Table: `{accounts}.account_event`, Number: "inbound", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.transfer_type IS NOT NULL`}
	// IncomingSTX lists the events that gave STX to the account.
	IncomingSTX = page.Numbered{Table: `{accounts}.account_event`, Number: "stx_in", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.stx_side & 2 <> 0`}
	// OutgoingSTX lists the events that took STX from the account.
	OutgoingSTX = page.Numbered{Table: `{accounts}.account_event`, Number: "stx_out", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.stx_side & 1 <> 0`}
	// TokenEvents lists the events that moved the fungible token with the key $10 to or from the account.
	TokenEvents = page.Numbered{Table: `{accounts}.account_event`, Number: "asset_n", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.asset = $10::bigint`}
)

// Involved returns an SQL condition on a row of {accounts}.account_transaction with the given alias: the account has the
// role in the transaction.
func Involved(alias string, role activity.Involvement) string {
	return alias + `.involvement & ` + strconv.Itoa(int(role)) + ` <> 0`
}
