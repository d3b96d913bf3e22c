package balances_test

import (
	"slices"
	"strings"

	"strata/domain/transaction"
	"strata/projections/balances"
	"strata/rig/body"
	"strata/rig/foldtest"
	"strata/rig/schemas"
)

var rig = foldtest.New(func() foldtest.Projection { return balances.New(nil) }, nil)

const (
	alice   = body.Account("alice")
	bob     = body.Account("bob")
	carol   = body.Account("carol")
	sponsor = body.Account("sponsor")
)

// coinbase is a payload without any effect of its own.
var coinbase = &transaction.Coinbase{}

// holdings selects the holdings as text.
var holdings = schemas.In(`
	SELECT account || ' ' || asset || ' ' || balance || ' = ' || received || '-' || sent || '-' || fees || '+' || rewards || ' after ' || n
	FROM {balances}.holding ORDER BY account, asset`)

// of replaces the account name at the beginning of each line by its address, and sorts the lines.
func of(lines ...string) []string {
	for i, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		lines[i] = body.Account(name).Address() + " " + rest
	}
	slices.Sort(lines)
	return lines
}
