package accounts_test

import (
	"fmt"
	"testing"

	"strata/domain/transaction"
	"strata/projections/accounts"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// TestMain lowers the number of random histories, as each folds chain too.
func TestMain(m *testing.M) {
	replay.Histories(6)
	m.Run()
}

var rig = foldtest.New(func() foldtest.Projection { return accounts.New() }, []string{},
	"block", "transaction", "account", "account_transaction", "account_event", "contract_event", "contract_topic", "deployment", "miner_reward")

const (
	alice   = body.Account("alice")
	bob     = body.Account("bob")
	carol   = body.Account("carol")
	sponsor = body.Account("sponsor")
)

// coinbase is a payload without any effect of its own.
var coinbase = &transaction.Coinbase{}

func event(kind string, data map[string]any) body.Event { return body.Event{Type: kind, Data: data} }

func transferWithMemo(from, to string, amount uint64, memo string) body.Event {
	e := body.TransferSTX(from, to, amount)
	e.Data["memo"] = fmt.Sprintf("%x", memo)
	return e
}
