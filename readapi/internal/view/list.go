package view

import (
	"strata/readapi/internal/page"
)

// accountID is the number of the account that is named by the first argument of a list.
const AccountID = `(SELECT a.id FROM {accounts}.account a WHERE a.account = $9)`

var (
	AllTransactions     = page.Numbered{Table: `{accounts}.transaction`, Number: "n", Tx: "n", Rows: `true`}
	AccountTransactions = page.Numbered{Table: `{accounts}.account_transaction`, Number: "n", Tx: "tx", Rows: `r.account = ` + AccountID}
	// Those that call the account.
	AccountCalls  = page.Numbered{Table: `{accounts}.account_transaction`, Number: "calls", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.involvement & 8 <> 0`}
	AccountEvents = page.Numbered{Table: `{accounts}.account_event`, Number: "n", Tx: "tx", Rows: `r.account = ` + AccountID}
	// Those that brought it STX.
	InboundEvents = page.Numbered{Table: `{accounts}.account_event`, Number: "inbound", Tx: "tx", Rows: `r.account = ` + AccountID + ` AND r.transfer_type IS NOT NULL`}
)
